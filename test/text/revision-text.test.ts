import { describe, expect, test } from 'vitest';

import { sentenceStart } from '../../src/text/joined.ts';
import { hereText, revisionsText, upstreamText } from '../../src/text/revision-text.ts';

describe('revisions in texts', () => {
  test('each number says whose it is, in one order', () => {
    const both = { path: 'web', upstream: { from: 'v3', to: 'v4' }, here: { from: 'v7', to: 'v8' } };
    expect(revisionsText(both)).toBe('web: upstream v3 → v4, here v7 → v8');
    expect(revisionsText({ here: { from: undefined, to: 'v1' } })).toBe('here v1');
    expect(revisionsText({ upstream: { from: 'v3', to: 'v3' }, here: { from: 'v7', to: 'v8' } })).toBe(
      'upstream v3, here v7 → v8',
    );
  });

  test('a version of a chart or operator is next to the number of its revision', () => {
    expect(upstreamText({ from: 'v3', to: 'v4', version: '13.0.1' })).toBe('upstream v3 → v4 (13.0.1)');
    expect(upstreamText({ from: 'chart@1.0.0', to: 'chart@1.1.0' })).toBe('chart@1.0.0 → chart@1.1.0');
    expect(upstreamText({ from: 'v3', to: 'chart@1.1.0' })).toBe('chart@1.1.0');
    expect(hereText('v2', (text) => `\`${text}\``)).toBe('here `v2`');
  });
});

test.each([
  ['v9 is not published', 'v9 is not published'],
  ['apps/web is in use', 'apps/web is in use'],
  ['the check fails', 'The check fails'],
  ["it's a draft", "It's a draft"],
])('a sentence starts with a capital, and with no changed name: %s', (text, expected) => {
  expect(sentenceStart(text)).toBe(expected);
});
