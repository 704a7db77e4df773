/** Schedules at random: who does what, in which order, at the same moment as what else. */
import * as fc from 'fast-check';

import type { Act } from './act.ts';
import { NOISE } from './noise.ts';
import { ACROSS } from './stories-across.ts';
import { ALONE } from './stories-alone.ts';
import type { Setting } from './world.ts';

/** Only stories that are called so, to look at one more closely. */
const ONLY_STORY = process.env['AUTHORIZATION_STORY'] ?? '';

export interface Step {
  readonly acts: readonly Act[];
  /** Webhooks of this step are lost; everything is looked at afterwards. */
  readonly lost: boolean;
}

export interface Schedule {
  readonly setting: Setting;
  readonly stories: readonly string[];
  readonly steps: readonly Step[];
}

/** The next act of the story, at times with another at the same moment, and at times with something else before it. */
function told(act: Act, kind: Setting['kind']): fc.Arbitrary<readonly Step[]> {
  return fc.tuple(fc.nat(19), NOISE[kind]).map(([chance, other]) => {
    if (chance === 0) return [{ acts: [act, other], lost: false }];
    if (chance === 1) return [{ acts: [act], lost: true }];
    if (chance < 4)
      return [
        { acts: [other], lost: false },
        { acts: [act], lost: false },
      ];
    return [{ acts: [act], lost: false }];
  });
}

function oneOf(kind: Setting['kind']): fc.Arbitrary<{ name: string; steps: readonly Step[] }> {
  const every = Object.entries(kind === 'one' ? ALONE : ACROSS);
  const all = every.filter(([name]) => name.includes(ONLY_STORY));
  return fc
    .constantFrom(...all)
    .chain(([name, story]) => story.map((acts) => ({ name, acts })))
    .chain(({ name, acts }) =>
      fc.tuple(...acts.map((act) => told(act, kind))).map((steps) => ({ name, steps: steps.flat() })),
    );
}

const isAbout = (stories: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(stories).some((name) => name.includes(ONLY_STORY));
const KINDS = (['one', 'one', 'one', 'across', 'across'] as const).filter((kind) =>
  isAbout(kind === 'one' ? ALONE : ACROSS),
);

/** A story or two, one after the other. */
export function schedules(): fc.Arbitrary<Schedule> {
  return fc.constantFrom<Setting['kind']>(...KINDS).chain((kind) =>
    fc
      .tuple(
        fc.record<Setting>({
          kind: fc.constant(kind),
          approvals: fc.constantFrom(1, 1, 1, 1, 2),
          approve: fc.constantFrom('write', 'write', 'write', 'write', 'write', 'maintain'),
          directPushes: fc.constantFrom('flag', 'flag', 'publish'),
          ruled: fc.constantFrom(false, false, true),
          shared: fc.constantFrom(true, true, false),
          automerge: fc.constantFrom(true, true, false),
          controlled: fc.constantFrom(true, false, false, false),
        }),
        fc.array(oneOf(kind), { minLength: 1, maxLength: kind === 'one' ? 2 : 1 }),
      )
      .map(([setting, stories]) => ({
        setting,
        stories: stories.map(({ name }) => name),
        steps: stories.flatMap(({ steps }) => steps),
      })),
  );
}
