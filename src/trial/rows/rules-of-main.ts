import { z } from 'zod';

import { answerText } from '../rest.ts';
import { notSeen } from '../row.ts';
import type { Seen } from '../row.ts';
import type { Extra, TrialStage } from '../stage.ts';

const ruleset = z.object({ id: z.number() });

export const NO_ADMINISTRATION: Seen = notSeen(
  'needs a change of the repository that this App may not make (administration: write of the throw-away App alone lets this row be played)',
);

/** Plays something under a ruleset, and deletes it again. Answers why there is none where the forge refused it. */
export async function underRuleset(
  { blueprints }: TrialStage,
  { rest }: Extra,
  rules: Readonly<Record<string, unknown>>,
  play: (path: string) => Promise<Seen>,
): Promise<Seen> {
  const answer = await rest.ask('POST', `${blueprints.path}/rulesets`, { body: rules });
  const made = ruleset.safeParse(answer.body);
  if (!made.success) return notSeen(`no ruleset could be made: ${answerText(answer)}`);
  const path = `${blueprints.path}/rulesets/${made.data.id}`;
  try {
    return await play(path);
  } finally {
    await rest.ask('DELETE', path);
  }
}
