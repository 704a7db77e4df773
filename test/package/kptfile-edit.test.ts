import { describe, expect, test } from 'vitest';

import { readKptfile, withName, withUpstream } from '../../src/package/kptfile.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (raw: Uint8Array): string => new TextDecoder().decode(raw);

const KPTFILE = `# the team's package
apiVersion: kpt.dev/v1
kind: Kptfile
metadata: {name: web}   # kept
upstream:
    type: git
    git:
        repo: https://example.org/a.git  # where from
        directory: /web
        ref: v1
info:
    readinessGates:
    - conditionType: Ready
pipeline:
    mutators:
    - image: set-labels:v0.2
      configMap: {version: 1.10, on: yes}
`;

describe('Kptfile', () => {
  test('is read as kpt reads it: every scalar is text', () => {
    const { kptfile, problems } = readKptfile(bytes(KPTFILE));
    expect(problems).toEqual([]);
    expect(kptfile).toMatchObject({
      name: 'web',
      upstream: { git: { repo: 'https://example.org/a.git', ref: 'v1' } },
      info: { readinessGates: [{ conditionType: 'Ready' }] },
      pipeline: {
        mutators: [{ image: 'set-labels:v0.2', configMap: { version: '1.10', on: 'yes' } }],
        validators: [],
      },
      conditions: [],
    });
  });

  test('problems name the field and the line, and the rest is read', () => {
    const { kptfile, problems } = readKptfile(
      bytes(KPTFILE.replace('info:', 'extra: 1\ninfo:').replace('directory: /web', 'directory: [x]')),
    );
    expect(kptfile.pipeline.mutators).toHaveLength(1);
    expect(problems.map(({ path, line }) => [path, line])).toEqual(
      expect.arrayContaining([
        ['extra', 11],
        ['upstream.git.directory', 9],
      ]),
    );
  });

  test.each(['- a\n', 'a: [\n', '', 'x'])('%j is no Kptfile', (text) => {
    expect(() => readKptfile(bytes(text))).toThrow(expect.objectContaining({ code: 'KPTFILE_INVALID' }));
  });

  test('upstream and lock are set in place', () => {
    const git = { repo: 'https://example.org/a.git', directory: '/web', ref: 'v2' };
    const after = withUpstream(bytes(KPTFILE), {
      upstream: { type: 'git', git },
      upstreamLock: { type: 'git', git: { ...git, commit: 'abc' } },
    });
    expect(textOf(after)).toBe(
      `${KPTFILE.replace('ref: v1', 'ref: v2')}upstreamLock:\n    type: git\n    git:\n        repo: https://example.org/a.git\n        directory: /web\n        ref: v2\n        commit: abc\n`,
    );
    expect(textOf(withUpstream(after, { upstreamLock: null }))).toBe(KPTFILE.replace('ref: v1', 'ref: v2'));
  });

  test('the name is set in place; an equal one changes nothing', () => {
    expect(textOf(withName(bytes(KPTFILE), 'shop'))).toBe(KPTFILE.replace('name: web', 'name: shop'));
    const named = bytes(KPTFILE);
    expect(withName(named, 'web')).toBe(named);
  });
});

describe('a Kptfile past its limits', () => {
  const long = bytes(`${KPTFILE}# ${'x'.repeat(64 * 1024)}\n`);

  test.each([
    ['reading', () => readKptfile(long)],
    ['renaming', () => withName(long, 'shop')],
  ])('%s is refused, with the limit', (_, run) => {
    expect(run).toThrow(/has \d+ bytes; the limit is 64 KiB/);
  });

  test('of four thousand mistakes the first hundred are told, and that there are more', () => {
    const unknown = Array.from({ length: 4_000 }, (_, at) => `"k${at}": 1`).join(', ');
    const { problems } = readKptfile(bytes(`${KPTFILE}more: {${unknown}}\ninfo2: {}\n`));
    expect(problems.length).toBeLessThanOrEqual(101);
    const all = readKptfile(
      bytes(`{apiVersion: kpt.dev/v1, kind: Kptfile, metadata: {name: a}, ${unknown}}`),
    );
    expect(all.problems).toHaveLength(101);
    expect(all.problems.at(-1)?.message).toBe('3900 more problems are not shown');
  });
});
