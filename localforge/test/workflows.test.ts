import { expect, test } from 'vitest';

import { startsOn } from '../src/actors/workflows.ts';

const BRANCH = 'refs/heads/main';
const TAG = 'refs/tags/v1';

// "Workflow syntax for GitHub Actions", on.push: whoever names only tags is not started by branches, nor the other way round.
test.each([
  [null, true, true],
  [{ branches: ['main'] }, true, false],
  [{ 'branches-ignore': ['other'] }, true, false],
  [{ 'branches-ignore': ['main'] }, false, false],
  [{ tags: ['v*'] }, false, true],
  [{ 'tags-ignore': ['x*'] }, false, true],
  [{ 'tags-ignore': ['v*'] }, false, false],
  [{ tags: ['v*'], 'branches-ignore': ['other'] }, true, true],
  [{ branches: ['main'], tags: ['x*'] }, true, false],
])('on push with %j: a branch %s, a tag %s', (push, branch, tag) => {
  const ci = { path: '.github/workflows/ci.yaml', name: 'CI', on: { push }, jobs: [] };
  expect([BRANCH, TAG].map((ref) => startsOn(ci, { event: 'push', ref }))).toEqual([branch, tag]);
});
