import { afterEach } from 'vitest';

import { SEED } from './realistic.ts';

/** So that the chances of a failed run can be drawn again. */
afterEach(({ task }) => {
  if (task.result?.state === 'fail') process.stderr.write(`\nFORGE_SEED=${SEED}: ${task.name}\n`);
});
