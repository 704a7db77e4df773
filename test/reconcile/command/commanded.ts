import { expect } from 'vitest';

import type { StageRepository } from '../stage-repository.ts';
import type { Login } from '../stage.ts';

/** A command that has to be done. Answers its reply. */
export async function done(
  repo: StageRepository,
  number: number,
  body: string,
  as: Login = 'alice',
): Promise<string> {
  const { reaction, reply = '' } = await repo.command(number, body, as);
  expect(reaction, `${body}: ${reply}`).toBe('rocket');
  return reply;
}
