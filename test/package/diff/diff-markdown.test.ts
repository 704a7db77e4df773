import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { diffMarkdown } from '../../../src/package/diff/diff-markdown.ts';
import { diffPackages } from '../../../src/package/diff/diff.ts';
import { configMap, packageOf } from './package-of.ts';

function markdown(a: Record<string, string>, b: Record<string, string>, limit = 60_000): string {
  return diffMarkdown(diffPackages(packageOf(a), packageOf(b)), { limit });
}

test('on a terminal it is plain', () => {
  const diff = diffPackages(
    packageOf({ 'a.yaml': configMap('kept', 'one: 1'), 'n.txt': 'a\n' }),
    packageOf({ 'a.yaml': configMap('kept', 'one: 2'), 'n.txt': 'b\n' }),
  );
  const text = diffMarkdown(diff, { plain: true });
  expect(text).toContain('\nChanged: 1 resource\n\n- ConfigMap kept in a.yaml\n  - data.one: ');
  expect(text).not.toMatch(/[<>`]/);
});

/** What is left of Markdown once fences and code spans are gone: the only places where foreign text may stand. */
function outsideCode(text: string): string {
  return text
    .replaceAll(/^( *)(`{3,})[^\n]*\n[\s\S]*?\n\1\2$/gm, '')
    .replaceAll(/(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, '');
}

test('nothing differs', () => expect(markdown({}, {})).toBe('No differences.\n'));

test('a reviewer sees what changed, grouped, the weightiest first', () => {
  const a = {
    'a.yaml': configMap('kept', 'text: |\n    one\n    two'),
    'b.yaml': configMap('gone'),
    'n.txt': 'a\n',
  };
  const b = { 'a.yaml': configMap('kept', 'text: |\n    one\n    2\n  more: [1, 2]'), 'n.txt': 'b\n' };
  expect(markdown(a, b)).toBe(`1 resource removed, 1 changed; 1 package file changed.

<details open><summary>Removed: 1 resource</summary>

- \`ConfigMap gone\` in \`b.yaml\`

</details>

<details open><summary>Changed: 1 resource</summary>

- \`ConfigMap kept\` in \`a.yaml\`
  \`\`\`diff
  ! data.text: |
  -   two
  +   2
  + data.more: [1, 2]
  \`\`\`

</details>

<details open><summary>Package files: 1</summary>

- \`n.txt\` changed, +1 −1 lines
  \`\`\`diff
  @@ -1,1 +1,1 @@
  -a
  +b
  \`\`\`

</details>
`);
});

test('a new resource shows its fields, or its name alone without room; files of the package come last and apart', () => {
  const b = {
    'a.yaml': configMap('new', 'color: red\n  list: [1, 2]'),
    Kptfile: 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n',
  };
  const text = markdown({}, b);
  expect(text).toContain('1 resource added; 1 package file changed.\n');
  expect(text).toMatch(
    /Added: 1 resource<[^]*- `ConfigMap new` in `a\.yaml`\n {2}```diff\n[^`]*\+ data: \{color: red, list: \[1, 2\]\}/,
  );
  expect(text).toMatch(/Package files: 1<[^]*- `Kptfile web` added in `Kptfile`/);
  const long = markdown({}, { 'a.yaml': configMap('new', `color: ${'x'.repeat(300)}`) }, 300);
  expect(long).toContain('- `ConfigMap new` in `a.yaml`\n');
  expect(long).not.toContain('xxx');
});

describe('foreign text', () => {
  const HOSTILE = [
    '@acme/everybody',
    'Fixes #1',
    '![x](http://evil.example/pixel)',
    '<!-- portico:marker -->',
    '/portico publish',
    '```\n@out\n```',
    '````',
    '`',
    '</details><script>',
    '\u202Etxt.exe',
    '| a | b |',
    'a\r\n/portico publish',
  ];

  test.each(HOSTILE)('%j does nothing', (text) => {
    const a = { 'a.yaml': configMap('x') };
    const value = JSON.stringify(text);
    for (const b of [
      { 'a.yaml': configMap('x', `a: ${value}`) },
      { 'a.yaml': configMap('x', `${value}: "1"`) },
      { 'a.yaml': configMap(value) },
      { [`${text.replaceAll(/[\r\n]/g, '')}.yaml`]: configMap('x') },
      { 'a.yaml': configMap('x'), 'n.txt': `${text}\n` },
      { 'a.yaml': `a: [${text}\n` },
    ]) {
      const shown = markdown(a, b);
      const outside = outsideCode(shown).replaceAll(/<\/?details( open)?>|<\/?summary>/g, '');
      expect(outside).not.toMatch(/@|#1|!\[|<|\/portico|evil|`|\u202E|\|/);
      expect(shown).not.toMatch(/<!--|\u202E/);
    }
  });
});

/** Three hundred resources, each in its file. */
function many(value: string): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`${at}.yaml`, configMap(`c${at}`, `a: "${value}"`)]),
  );
}

describe('limits', () => {
  test.each([200, 1_000, 10_000, 65_535])(
    'at most %i characters, and what is missing is counted',
    (limit) => {
      const text = markdown(many('1'), many('2'), limit);
      expect(text.length).toBeLessThanOrEqual(limit);
      const shown = text.match(/^- /gm)?.length ?? 0;
      const left = Number(/… and (\d+) more change/.exec(text)?.[1] ?? 0);
      expect(shown + left).toBe(300);
      expect(text.match(/<details/g)?.length).toBe(text.match(/<\/details>/g)?.length);
    },
  );

  test('one long value does not push out the others', () => {
    const long = Array.from({ length: 5_000 }, (_, at) => `    line ${at}`).join('\n');
    const text = markdown(
      { 'a.yaml': configMap('x') },
      { 'a.yaml': configMap('x', `a: |\n${long}`), 'b.yaml': configMap('z') },
    );
    expect(text).toContain('more lines');
    expect(text).toContain('ConfigMap z');
    expect(text.length).toBeLessThan(5_000);
  });

  test('fences are closed and the limit holds whatever the package says', () => {
    const text = fc.string({ unit: fc.constantFrom('`', '@', '<', '!', '-', 'a', '\n', ' ', '#', '\u202E') });
    fc.assert(
      fc.property(text, text, fc.integer({ min: 200, max: 2_000 }), (a, b, limit) => {
        const shown = markdown({ 'n.txt': a }, { 'n.txt': b }, limit);
        expect(shown.length).toBeLessThanOrEqual(limit);
        expect(outsideCode(shown)).not.toMatch(/[@`!]/);
      }),
      { numRuns: 500 },
    );
  });
});
