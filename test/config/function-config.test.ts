import { expect, test } from 'vitest';

import { loadAllowedFunctions } from '../../src/config/function-config.ts';
import { parseRepositoryConfig } from '../../src/config/parse-repository-config.ts';

const HEAD = 'apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nspec:\n  functions:\n';
const HEX = 'a'.repeat(64);

function parse(entry: string): ReturnType<typeof parseRepositoryConfig> {
  return parseRepositoryConfig({ file: 'p.yaml', bytes: Buffer.from(`${HEAD}  - ${entry}\n`) });
}

test('allowed functions are read, and their modules with them', async () => {
  const { config } = parse(
    `{ image: a/b:v1, wasm: fns/b.wasm, sha256: ${HEX}, memoryMi: 64 }\n  - { image: c:v2, container: "c@sha256:${HEX}", timeoutSeconds: 5 }`,
  );
  const bytes = Buffer.from('x');
  const read = async (file: string): Promise<Buffer | null> => (file === 'fns/b.wasm' ? bytes : null);
  expect(await loadAllowedFunctions(config!.functions, read)).toEqual({
    allowed: [
      { image: 'a/b:v1', code: { kind: 'wasm', file: 'fns/b.wasm', sha256: HEX, bytes }, memoryMi: 64 },
      { image: 'c:v2', code: { kind: 'container', reference: `c@sha256:${HEX}` }, timeoutSeconds: 5 },
    ],
  });
});

test.each([
  ['neither', '{ image: a }', 'needs either wasm or container'],
  ['both', `{ image: a, wasm: b, sha256: ${HEX}, container: "c@sha256:${HEX}" }`, 'needs either'],
  ['no digest', '{ image: a, wasm: b }', 'is missing; wasm needs it'],
  ['a tag', '{ image: a, container: "c:v1" }', 'must be an image with its digest'],
  ['an option', '{ image: "--privileged", wasm: b }', 'must be an image as written in Kptfiles'],
  [
    'an option as a digest',
    `{ image: a, container: "-v/:/x@sha256:${HEX}" }`,
    'must be an image with its digest',
  ],
  ['a path outside', `{ image: a, wasm: ../b, sha256: ${HEX} }`, 'the path has the part'],
  [
    'a name twice',
    `{ image: a, wasm: b, sha256: ${HEX} }\n  - { image: a, wasm: b, sha256: ${HEX} }`,
    'is listed twice',
  ],
  [
    'a digest that stands for other content',
    `{ image: "a@sha256:${HEX}", container: "a@sha256:${HEX.replace(/./, 'f')}" }`,
    'has a digest, which only container with the same digest can provide',
  ],
  ['a digest for a module', `{ image: "a@sha256:${HEX}", wasm: b, sha256: ${HEX} }`, 'has a digest'],
  ['much memory', `{ image: a, wasm: b, sha256: ${HEX}, memoryMi: 9999 }`, 'at most 4096'],
])('%s is a mistake', (_what, entry, message) => {
  const { problems } = parse(entry);
  expect(problems.map((problem) => problem.message).join('\n')).toContain(message);
});
