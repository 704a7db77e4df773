import { expect, test } from 'vitest';

import { runKustomize } from '../../src/processors/kustomize.ts';

test.each([
  ['behind U+2028 in a comment', 'resources: [a.yaml] # here\u2028bases: ["https://example.com/x"]\n'],
  ['behind a lone carriage return', 'resources: [a.yaml] # here\rbases: ["https://example.com/x"]\n'],
  ['below a binary key', 'resources: [a.yaml]\n!!binary YmFzZXM=: ["https://example.com/x"]\n'],
  ['as a binary value', 'resources: [!!binary aHR0cHM6Ly9leGFtcGxlLmNvbS94]\n'],
])('kustomize does not run with an address %s, which Go alone reads', async (_, text) => {
  const tree = new Map([['o/kustomization.yaml', Buffer.from(text)]]);
  const result = await runKustomize(
    tree,
    { kind: 'kustomize', out: 'out', directory: 'o', with: [] },
    { environment: {}, needsSandbox: true },
  );
  expect(result).toMatchObject({
    refused: {
      code: 'KUSTOMIZATION_INVALID',
      message: expect.stringMatching(/^o\/kustomization\.yaml:[12]: /),
    },
  });
});

test('kustomize builds an overlay under a name that no tool of a cluster takes', async () => {
  const tree = new Map([['o/kustomization.yaml.in', Buffer.from('bases: ["https://example.com/x"]\n')]]);
  const result = await runKustomize(
    tree,
    { kind: 'kustomize', out: 'out', directory: 'o', with: [] },
    { environment: {}, needsSandbox: true },
  );
  expect(result).toMatchObject({ refused: { code: 'KUSTOMIZE_REMOTE' } });
});
