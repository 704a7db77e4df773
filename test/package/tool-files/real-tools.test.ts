/** What passes as harmless, held to the real git and the real kustomize. */
import { execFileSync, spawnSync } from 'node:child_process';

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { judgeAttributes } from '../../../src/package/tool-files/git-attributes.ts';
import { toolFindings } from '../../../src/package/tool-files/tool-files.ts';
import { scratch } from '../../cli/run-portico.ts';
import { realTools } from '../../processors/real-tools.ts';
import { packageOf } from '../render/support.ts';

const NAMES = ['a.yaml', 'b.YML', 'sub/c.json', 'sub/d e.yaml', 'Kustomization', 'x.jsonnet'];
const PATTERN = fc
  .array(
    fc.constantFrom(
      '*',
      '**',
      '/',
      'a',
      '.yaml',
      '.y',
      'aml',
      '?',
      '[a-z]',
      'sub',
      '.png',
      'Kust',
      'omization',
      '\\',
      '"',
      '.',
      '!',
      '.YML',
      '.json',
      '#',
      ' ',
      '[!p]',
      '{yaml,json}',
      'x.jsonnet',
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join(''));
const ATTRIBUTE = fc.constantFrom(
  'filter=x',
  'filter',
  '-filter',
  '!filter',
  'filter=',
  'ident',
  '-ident',
  'text',
  'eol=crlf',
  'binary',
  'working-tree-encoding=UTF-16',
);
const LINE = fc
  .tuple(
    fc.constantFrom('', ' '),
    PATTERN,
    fc.constantFrom(' ', '\t'),
    fc.array(ATTRIBUTE, { minLength: 1, maxLength: 2 }),
  )
  .map(([margin, pattern, space, attributes]) => `${margin}${pattern}${space}${attributes.join(space)}`);
const ATTRIBUTES = fc
  .tuple(
    fc.constantFrom('', '\uFEFF'),
    fc.array(LINE, { minLength: 1, maxLength: 2 }),
    fc.constantFrom('\n', '\r\n'),
  )
  .map(([mark, lines, end]) => mark + lines.join(end));

test('git sets no rewriting attribute for a manifest where a .gitattributes passes (106)', () => {
  const texts = fc.sample(ATTRIBUTES, 500);
  using dir = scratch();
  execFileSync('git', ['init', '-q', dir.path('r')]);
  execFileSync('git', ['-C', dir.path('r'), 'config', 'core.ignorecase', 'true']);
  dir.write(Object.fromEntries(texts.map((text, at) => [`r/${at}/.gitattributes`, text])));
  const paths = texts.flatMap((_text, at) => NAMES.map((name) => `${at}/${name}`));
  const asked = [
    '-C',
    dir.path('r'),
    'check-attr',
    '-z',
    '--stdin',
    'filter',
    'ident',
    'working-tree-encoding',
  ];
  const { stdout } = spawnSync('git', asked, {
    input: paths.join('\0'),
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const answers = stdout.split('\0');
  const rewritten = new Set<number>();
  for (let at = 0; at + 2 < answers.length; at += 3)
    if (!['unset', 'unspecified'].includes(answers[at + 2]!)) rewritten.add(parseInt(answers[at]!, 10));
  expect(rewritten.size).toBeGreaterThan(0);
  const missed = [...rewritten].filter((at) => judgeAttributes(Buffer.from(texts[at]!)) === undefined);
  expect(missed.map((at) => texts[at])).toEqual([]);
});

const pod = (name: string, image = 'web'): string =>
  `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\nspec:\n  containers:\n  - image: ${image}\n    name: c\n`;
const FILES = {
  'pod.yaml': pod('a'),
  'b.yml': pod('b'),
  'evil.txt': pod('e', 'evil'),
  'sub/kustomization.yaml': 'resources: [s.yaml]\n',
  'sub/s.yaml': pod('s'),
  'part/kustomization.yaml': 'kind: Component\nimages: [{ name: web, newName: evil }]\n',
};
const EVIL = '[{ name: web, newName: evil }]';
const KUSTOMIZATION = fc
  .tuple(
    fc.constantFrom('resources', 'resources', 'bases'),
    fc.uniqueArray(
      fc.constantFrom(
        'pod.yaml',
        './b.yml',
        'sub',
        'sub/../b.yml',
        'evil.txt',
        '../out.yaml',
        'part',
        '"evil\\u002etxt"',
      ),
      { minLength: 1, maxLength: 3 },
    ),
    fc.uniqueArray(
      fc.constantFrom(
        `images: ${EVIL}`,
        `iMages: ${EVIL}`,
        `"images": ${EVIL}`,
        `? images\n: ${EVIL}`,
        `imageTags: ${EVIL}`,
        'components: [part]',
        'components: []',
        'namePrefix: ""',
        'namePrefix: x-',
        'metadata: { name: x }',
        'kind: Component',
        'kind: Kustomization',
        'apiVersion: a.b/v1',
        'sortOptions: { order: fifo }',
        '---',
        `# x\u2028images: ${EVIL}`,
        `# x\rimages: ${EVIL}`,
        `!!binary aW1hZ2Vz: ${EVIL}`,
        `<<: { images: ${EVIL} }`,
      ),
      { maxLength: 2 },
    ),
    fc.boolean(),
  )
  .map(([field, entries, others, isLast]) => {
    const list = `${field}:\n${entries.map((entry) => `- ${entry}`).join('\n')}`;
    return `${(isLast ? [...others, list] : [list, ...others]).join('\n')}\n`;
  });

/** It has a kustomize in it. */
const KUBECTL = 'kubectl';

describe('kustomize', { tags: ['helm'] }, () => {
  test('kustomize builds nothing but the listed resources where a kustomization passes (104)', () => {
    using dir = scratch();
    const texts = fc.sample(KUSTOMIZATION, 400).filter((text) => isHarmless(text));
    let built = 0;
    for (const [at, text] of texts.slice(0, 25).entries()) {
      const place = (path: string): string => `${at}/p/${path}`;
      const files = Object.entries({ ...FILES, 'kustomization.yaml': text });
      dir.write({
        [`${at}/out.yaml`]: pod('o', 'evil'),
        ...Object.fromEntries(files.map(([path, one]) => [place(path), one])),
      });
      const asked = ['kustomize', '--load-restrictor=LoadRestrictionsNone', dir.path(`${at}/p`)];
      const { status, stdout } = spawnSync(KUBECTL, asked, { encoding: 'utf8', env: { ...realTools() } });
      if (status !== 0) continue;
      built += 1;
      const unknown = stdout
        .split('---\n')
        .filter((one) => !['a', 'b', 's'].some((name) => one === pod(name)));
      expect({ text, unknown }).toEqual({ text, unknown: [] });
    }
    expect(built).toBeGreaterThan(0);
  });
});

function isHarmless(text: string): boolean {
  return toolFindings(packageOf({ ...FILES, 'kustomization.yaml': text })).every(
    ({ path }) => path !== 'kustomization.yaml',
  );
}
