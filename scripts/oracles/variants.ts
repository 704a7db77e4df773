import { execFileSync } from 'node:child_process';

import { z } from 'zod';

import { documentOf, packageOf, variantCase, worldOfCase } from '../../test/corpus/variant-case.ts';
import type { Family } from './family.ts';

/** PackageVariants and PackageVariantSets: Porch's own controllers answer. */
export const variants: Family = {
  name: 'variants',
  tools: ['porch'],
  ask: async (one, program) => {
    const asked = z.object(variantCase).parse(one);
    const question = { document: documentOf(asked), world: worldOfCase(asked), package: packageOf(asked) };
    const answer = execFileSync(program, { input: JSON.stringify(question), encoding: 'utf8' });
    return { expected: z.record(z.string(), z.unknown()).parse(JSON.parse(answer)) };
  },
};
