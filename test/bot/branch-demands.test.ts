import { expect, test } from 'vitest';

import { createBranchDemands } from '../../src/bot/branch-demands.ts';
import type { ErrorCode } from '../../src/error-code.ts';
import { PorticoError } from '../../src/error.ts';

const refused = (code: ErrorCode): Promise<never> =>
  Promise.reject(new PorticoError(code, 'no', { blame: 'forge' }));

/** A forge whose ruleset requires `portico`, and whose protection requires what is named. */
function forgeOf(protection: readonly string[] = [], { refusesPushes = false, isOn = false } = {}) {
  const asked: string[] = [];
  return {
    asked,
    branchRules: (branch: string) => {
      asked.push(branch);
      const requiredChecks = [{ context: 'portico' }];
      return Promise.resolve({ mergeQueue: false, requiresSignatures: true, requiredChecks, refusesPushes });
    },
    branchProtection: () => Promise.resolve({ requiredChecks: protection, isOn }),
  };
}

test('rulesets and protection together, read once in ten minutes, or anew where that is asked', async () => {
  let now = 0;
  const forge = forgeOf(['portico/render']);
  const demands = createBranchDemands(() => now).of(1, forge);
  const { requiredChecks, requiresSignatures } = await demands('main');
  expect([...(requiredChecks ?? [])]).toEqual(['portico', 'portico/render']);
  expect(requiresSignatures).toBe(true);
  now = 599_999;
  await demands('main');
  expect(forge.asked).toEqual(['main']);
  await demands('main', { anew: true });
  now += 600_000;
  await demands('main');
  await demands('other');
  expect(forge.asked).toEqual(['main', 'main', 'main', 'other']);
});

test('what is not told of one of them is told of neither; any other failure is passed on', async () => {
  for (const code of ['FORGE_FORBIDDEN', 'FORGE_NOT_FOUND'] as const) {
    for (const untold of [
      { ...forgeOf(), branchRules: () => refused(code) },
      { ...forgeOf(), branchProtection: () => refused(code) },
      { ...forgeOf(), branchProtection: () => Promise.resolve(null) },
    ]) {
      expect(await createBranchDemands(() => 0).of(1, untold)('main')).toMatchObject({
        requiredChecks: null,
      });
    }
  }
  const limited = { ...forgeOf(), branchRules: () => refused('RATE_LIMITED') };
  await expect(createBranchDemands(() => 0).of(1, limited)('main')).rejects.toMatchObject({
    code: 'RATE_LIMITED',
  });
});

const refusesPushes = async (forge: Parameters<ReturnType<typeof createBranchDemands>['of']>[1]) =>
  (await createBranchDemands(() => 0).of(1, forge)('main')).refusesPushes;

test('whether a push may come is known where rulesets alone decide; what protects a branch beside them is not told', async () => {
  expect(await refusesPushes(forgeOf())).toBe(false);
  expect(await refusesPushes(forgeOf([], { refusesPushes: true }))).toBe(true);
  expect(await refusesPushes(forgeOf([], { isOn: true }))).toBeNull();
  expect(await refusesPushes({ ...forgeOf(), branchRules: () => refused('FORGE_NOT_FOUND') })).toBeNull();
  expect(await refusesPushes({ ...forgeOf(), branchProtection: () => Promise.resolve(null) })).toBeNull();
});
