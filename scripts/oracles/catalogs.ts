/** Asks operator-registry and operator-controller of catalogs, templates, bundles and old indexes. */
import { execFileSync } from 'node:child_process';

import { z } from 'zod';

import { filesIn, imagesIn, input } from '../../test/corpus/catalogs/cases.ts';
import type { Family } from './family.ts';

export const catalogs: Family = {
  name: 'catalogs',
  tools: ['operator-registry', 'operator-controller'],
  ask: (one, program) => {
    const asked = z.object(input).parse(one);
    const { ask, options, bundles, steps, ranges, versions } = asked;
    const question = {
      ask,
      files: filesIn(asked),
      images: imagesIn(asked),
      options: { package: 'web', ...options },
      bundles,
      steps,
      ranges,
      versions,
    };
    if (ask === 'graph') question.options = { package: '', ...options };
    const text = execFileSync(program, { input: JSON.stringify(question), encoding: 'utf8' });
    return Promise.resolve({ expected: JSON.parse(text) as unknown });
  },
};
