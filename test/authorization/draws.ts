/** People, values and branches, drawn at random. */
import * as fc from 'fast-check';

import type { Login } from '../reconcile/stage.ts';
import type { Act } from './act.ts';

export type Story = fc.Arbitrary<readonly Act[]>;

const WRITERS: readonly Login[] = ['bob', 'carol', 'mallory', 'mona'];
const VALUES = ['red', 'green', 'black', 'white'] as const;

/** Three different people who may write. */
export const three = fc.shuffledSubarray([...WRITERS], { minLength: 3, maxLength: 3 }) as fc.Arbitrary<
  [Login, Login, Login]
>;
export const value = fc.constantFrom(...VALUES);
export const anybody: fc.Arbitrary<Login> = fc.constantFrom('alice', 'rita', 'stan', ...WRITERS);
const workspace = fc.constantFrom('one', 'two');
export const draft = workspace.map((one) => `drafts/web/${one}`);
