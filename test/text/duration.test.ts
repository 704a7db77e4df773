import { expect, test } from 'vitest';

import { durationText } from '../../src/text/duration.ts';

test.each([
  [0, '0s'],
  [90, '90s'],
  [1_800, '30m'],
  [43_200, '12h'],
  [172_800, '2d'],
  [1_209_600, '2w'],
])('%i seconds are %s, as configuration says it', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});
