import { describe, expect, test } from 'vitest';

import type { PackageFiles } from '../../../src/package/package.ts';
import { resolvePath, withProposedValues } from '../../../src/package/render/proposed-values.ts';
import type { Finding } from '../../../src/package/render/render-types.ts';
import { annotationOf, placed } from '../../../src/reconcile/check/check-content.ts';
import { powerCheck } from '../../../src/reconcile/check/power-check.ts';
import type { CheckAnnotation } from '../../../src/reconcile/forge/checks.ts';
import { suggestionsOf } from '../../../src/reconcile/proposal/suggestions.ts';
import { summaryOf, type SummaryInput } from '../../../src/reconcile/proposal/summary.ts';
import { repositoryDirectory } from '../../../src/revision/package-path.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const file = (text: string) => ({ mode: '100644' as const, bytes: bytes(text) });

const finding = (item: Finding['item'], more: Partial<Finding> = {}): Finding => ({
  severity: 'error',
  message: item.message,
  function: 'check:v1',
  file: 'a.yaml',
  line: 3,
  column: 5,
  item,
  ...more,
});

const ofKind = (kind: string) => ({ resource: { apiVersion: '', kind, namespace: '', name: '' } });

const keyOf = (head: string, fixed: string): string | undefined =>
  suggestionsOf(
    [{ check: 'c', why: '', changes: new Map([['a.yaml', file(fixed)]]) }],
    new Map([['a.yaml', { head: bytes(head), before: null }]]),
  )[0]?.key;

const suggest = (head: string, fixed: string, before: string | null = null, why = 'Words.') =>
  suggestionsOf(
    [{ check: 'guardrail/x', why, changes: new Map([['a.yaml', file(fixed)]]) }],
    new Map([['a.yaml', { head: bytes(head), before: before === null ? null : bytes(before) }]]),
  ).map(({ key: _key, ...rest }) => rest);

const block = (text: string): string => `\`guardrail/x\`: \`Words.\`\n\n\`\`\`suggestion\n${text}\n\`\`\``;

describe('a suggestion', () => {
  test.each<[string, string, string, object]>([
    ['a line', 'a: 1\nb: 2\n', 'a: 1\nb: 3\n', { path: 'a.yaml', line: 2, body: block('b: 3') }],
    [
      'lines that come in hang on the one above',
      'a: 1\nb: 2\n',
      'a: 1\nx: 1\ny: 2\nb: 2\n',
      { path: 'a.yaml', line: 1, body: block('a: 1\nx: 1\ny: 2') },
    ],
    [
      'several lines',
      'a: 1\nb: 2\n',
      'a: 3\nb: 4\nc: 5\n',
      { path: 'a.yaml', startLine: 1, line: 2, body: block('a: 3\nb: 4\nc: 5') },
    ],
    ['an empty line', 'a: 1\nb: 2\n', 'a: 1\n\nb: 2\n', { path: 'a.yaml', line: 1, body: block('a: 1\n') }],
  ])('%s', (_name, head, fixed, expected) => {
    expect(suggest(head, fixed)).toEqual([expected]);
  });

  test.each([
    ['lines that only go', 'a: 1\nb: 2\n', 'a: 1\n'],
    ['carriage returns', 'a: 1\r\n', 'a: 2\r\n'],
    ['a last line without its end', 'a: 1', 'a: 2'],
    ['lines ahead of the first', 'a: 1\n', 'x: 1\na: 1\n'],
  ])('is not made of %s', (_name, head, fixed) => {
    expect(suggest(head, fixed)).toEqual([]);
  });

  test('is made only on lines that the diff shows', () => {
    const lines = Array.from({ length: 20 }, (_, at) => `l${at}: 1\n`);
    const before = lines.join('');
    const head = before.replace('l10: 1', 'l10: 2');
    expect(suggest(head, head.replace('l13: 1', 'l13: 9'), before)).toHaveLength(1);
    expect(suggest(head, head.replace('l14: 1', 'l14: 9'), before)).toEqual([]);
  });

  test('holds what a hostile file says, and the words of a hostile function, in code', () => {
    const [one] = suggest('a: 1\n', 'a: "```"\n', null, '@acme/all\n/portico publish ``` <!-- x');
    expect(one?.body).toBe(
      '`guardrail/x`: ````@acme/all /portico publish ``` <!\\-- x.````\n\n````suggestion\na: "```"\n````',
    );
  });

  test('has one key wherever its lines have moved', () => {
    expect(keyOf('a: 1\n', 'a: 2\n')).toBe(keyOf('# new\na: 1\n', '# new\na: 2\n'));
    expect(keyOf('a: 1\n', 'a: 2\n')).not.toBe(keyOf('a: 1\n', 'a: 3\n'));
  });
});

describe('proposed values', () => {
  const text = '# kept\nkind: A\nspec:\n  list:\n  - { name: x, a.b/c: 1 } # here\n---\nkind: B\nspec: {}\n';
  const files: PackageFiles = new Map([['a.yaml', file(text)]]);
  const propose = (path: string, proposedValue: unknown, more: object = {}, about: Partial<Finding> = {}) => {
    const item = { message: 'm', field: { path, proposedValue, ...more }, file: { path: 'a.yaml' } };
    const found = withProposedValues(files, [finding(item, about)]).get('a.yaml');
    return found === undefined ? undefined : new TextDecoder().decode(found.bytes);
  };

  test.each<[string, string, unknown, string, string]>([
    ['a scalar', 'spec.list[0].name', 'web', 'name: x', 'name: web'],
    ['a key with dots', 'spec.list[0].a.b/c', 2, 'a.b/c: 1', 'a.b/c: 2'],
    ['a field that is not there yet', 'spec.more', true, '# here\n', '# here\n  more: true\n'],
  ])('%s is written, and nothing else changes', (_name, path, value, was, is) => {
    expect(propose(path, value)).toBe(text.replace(was, is));
  });

  test.each<[string, string, unknown, object]>([
    ['a field above is not there', 'spec.no.where', 1, {}],
    ['an item is not there', 'spec.list[4].name', 1, {}],
    ['another value stands there', 'spec.list[0].name', 'y', { currentValue: 'z' }],
    ['the value is no YAML', 'spec.more', () => 1, {}],
    ['the value is huge', 'spec.more', 'x'.repeat(20_000), {}],
  ])('nothing is written where %s', (_name, path, value, more) => {
    expect(propose(path, value, more)).toBeUndefined();
  });

  test('the right document is taken, or none', () => {
    expect(propose('spec.x', 1, {}, ofKind('A'))).toContain('# here\n  x: 1\n');
    expect(propose('spec.x', 1, {}, ofKind('B'))).toBeUndefined();
  });

  test.each([
    [{ __proto__: null, a: 1 }, '__proto__.x'],
    [{ a: [1] }, 'a.b'],
    [{ a: 1 }, 'a..b'],
    [{}, ''],
  ])('%j has no %s', (value, path) => {
    expect(resolvePath(value, path)).toBeUndefined();
  });
});

describe('annotations', () => {
  const one = { package: { path: 'web', directory: 'apps/web' } } as Parameters<typeof annotationOf>[0];

  test('tell the resource, the field and both values', () => {
    const item = { message: 'Wrong.', field: { path: 'spec.x', currentValue: 1, proposedValue: { a: 2 } } };
    const resource = { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web' };
    expect(annotationOf(one, finding(item, { resource, guardrail: 'rule' }))).toEqual({
      path: 'apps/web/a.yaml',
      startLine: 3,
      endLine: 3,
      startColumn: 5,
      endColumn: 5,
      level: 'failure',
      title: 'rule: Pod web',
      message: 'Wrong.',
      rawDetails:
        'function: check:v1\nresource: v1 Pod shop/web\nfield: spec.x\ncurrent value: 1\nproposed value: {"a":2}',
    });
  });

  test('beyond the limit are listed in the text, the errors first on their lines', () => {
    const many = Array.from({ length: 1000 }, (_, at): CheckAnnotation => {
      const level = at === 999 ? 'failure' : 'warning';
      return { path: 'a.yaml', startLine: at + 1, endLine: at + 1, level, message: 'x'.repeat(1000) };
    });
    const { annotations, rest } = placed(many);
    expect(annotations).toHaveLength(300);
    expect(annotations[0]?.startLine).toBe(1000);
    expect(rest).toContain('1000 findings; the first 300 are annotated on their lines');
    expect(rest).toContain('- and 200 more');
    expect(rest.length).toBeLessThan(200_000);
  });
});

const diff = (direction: 'wider' | 'narrower') => ({
  grown: direction === 'wider',
  unread: [],
  changes: [{ direction, kind: 'rbac' as const, who: 'w', what: 'x', file: 'a.yaml', line: 2, column: 3 }],
});

describe('the check of power', () => {
  const power = [{ path: 'web', directory: repositoryDirectory('web'), diff: diff('wider') }];

  test.each([
    ['nobody need approve', undefined, 'neutral'],
    ['somebody must', { needed: ['the team `t`'], by: [] }, 'action_required'],
    ['somebody has', { needed: ['the team `t`'], by: ['alice'] }, 'neutral'],
  ])('where %s', (_name, approval, conclusion) => {
    expect(powerCheck(power, approval)?.conclusion).toBe(conclusion);
  });

  test('is not there where nothing changes, and green where it is less', () => {
    expect(powerCheck([], undefined)).toBeUndefined();
    const less = [{ path: 'web', directory: repositoryDirectory('web'), diff: diff('narrower') }];
    expect(powerCheck(less, { needed: ['x'], by: [] })?.conclusion).toBe('success');
  });
});

test('the comment of a huge proposal stays below what the forge takes, and says what is left out', () => {
  const resource = { apiVersion: 'v1', kind: 'Pod', namespace: '', name: 'x'.repeat(60) };
  const content = {
    same: false,
    files: [],
    counts: { added: 300, removed: 0, changed: 0, moved: 0, comments: 0, order: 0, format: 0, files: 0 },
    resources: Array.from({ length: 300 }, (_, at) => ({
      resource,
      change: 'added' as const,
      file: `${at}.yaml`,
      fields: [],
      comments: false,
      line: 1,
    })),
  };
  const run = { package: '.', function: 'f:v1', type: 'mutator' as const, exitCode: 0, results: [] };
  const packages = Array.from({ length: 400 }, (_, at) => ({
    path: `apps/package-${at}`,
    newest: 'v1',
    next: 'v2',
    content,
    diff: { grown: false, changes: [], unread: [] },
  }));
  const input = {
    pull: { draft: false },
    digest: `sha256:${'0'.repeat(64)}`,
    packages,
    rendered: packages.map(({ path }) => ({
      package: { path },
      runs: Array.from({ length: 60 }, () => run),
      findings: [],
    })),
    checks: [],
    approvals: {
      counted: [],
      notCounted: [],
      changesRequested: [],
      required: 1,
      needed: 1,
      authors: [],
      unknownAuthors: [],
    },
    approval: { kind: 'missing', sentence: 'Needs 1 approval: anyone with write access.', notes: [] },
  } as unknown as SummaryInput;
  const text = summaryOf(input);
  expect(text.length).toBeLessThan(60_000);
  expect(text).toContain('and 300 more packages');
  expect(text).toMatch(/… and \d+ more packages; see the checks/);
  expect(text.split('<details>').length).toBe(
    text.split('</details>').length - (text.split('<details open>').length - 1),
  );
});
