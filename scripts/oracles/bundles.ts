import { execFileSync } from 'node:child_process';

import { z } from 'zod';

import { bundleCase, definitionOf, filesOfBundle } from '../../test/corpus/bundle-case.ts';
import type { Family } from './family.ts';

/** Bundles and upgrades of their definitions: opm and operator-controller answer. */
export const bundles: Family = {
  name: 'bundles',
  tools: ['operator-controller-bundles', 'opm-bundles'],
  ask: async (one, program) => {
    const { name } = z.looseObject({ name: z.string() }).parse(one['tool']);
    const asked = z.object(bundleCase).parse(one);
    const { convert, old, new: now } = asked;
    const upgrade = old && now && { old: definitionOf(old), new: definitionOf(now) };
    const question = { files: filesOfBundle(asked), convert, ...upgrade };
    const answer = execFileSync(program, [name], { input: JSON.stringify(question), encoding: 'utf8' });
    return { expected: z.record(z.string(), z.unknown()).parse(JSON.parse(answer)) };
  },
};
