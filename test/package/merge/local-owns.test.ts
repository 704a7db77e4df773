/** Fields that a package owns: settled for local in every update, told each time, until upstream does something else. */
import { expect, test } from 'vitest';

import { clonedPackage } from '../../../src/package/clone.ts';
import { mergeConcurrent } from '../../../src/package/merge/concurrent.ts';
import { MERGE_FILE, rememberLocal } from '../../../src/package/merge/local-owns.ts';
import { mergePackages } from '../../../src/package/merge/merge.ts';
import type { PackageFiles } from '../../../src/package/package.ts';

const filesOf = (texts: Readonly<Record<string, string>>): PackageFiles =>
  new Map(
    Object.entries(texts).map(([path, text]) => [
      path,
      { mode: '100644', bytes: new TextEncoder().encode(text) },
    ]),
  );
const textIn = (files: PackageFiles, path: string): string | undefined =>
  files.has(path) ? new TextDecoder().decode(files.get(path)?.bytes) : undefined;
const KPTFILE = `apiVersion: kpt.dev/v1
kind: Kptfile
metadata: { name: web }
upstream:
  type: git
  git: { repo: https://forge.example/acme/up.git, directory: /web, ref: web/v1 }
`;
const web = (spec: string): string =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web }\nspec:\n${spec.replaceAll(/^/gm, '  ')}\n`;
const pack = (spec: string, more: Record<string, string> = {}): PackageFiles =>
  filesOf({ Kptfile: KPTFILE, 'web.yaml': web(spec), ...more });

const [base, upstream, local] = [
  pack('replicas: 1\npaused: true'),
  pack('replicas: 2\npaused: true'),
  pack('replicas: 7 # ours\npaused: true'),
];
const [conflict] = mergePackages({ base, upstream, local }).conflicts;
const remembering = rememberLocal(local, [conflict!], 'ada');

test('a remembered conflict is written as a line, and not told again but noted', () => {
  expect(textIn(remembering, MERGE_FILE))
    .toBe(`# What of this package is its own, whatever upstream makes of it. Remove a line to be asked again.
apiVersion: config.portico.dev/v1alpha1
kind: MergeDecisions
metadata:
  name: merge-decisions
  annotations:
    config.kubernetes.io/local-config: "true"
spec:
  upstream:
    repo: "https://forge.example/acme/up"
    directory: "web"
  localOwns:
    - resource:
        apiVersion: apps/v1
        kind: Deployment
        name: web
      path: spec.replicas
      upstream: changes
      by: ada
`);
  const merged = mergePackages({ base, upstream, local: remembering });
  expect(merged.conflicts).toEqual([]);
  expect(textIn(merged.files, 'web.yaml')).toBe(textIn(local, 'web.yaml'));
  expect(merged.notes).toEqual([
    {
      code: 'LOCAL_OWNS',
      file: 'web.yaml',
      message: 'Deployment web spec.replicas stays 7, as portico-merge.yaml says; upstream has 2.',
    },
  ]);
  // Once more with the next change of upstream, and the file stays byte for byte.
  const next = mergePackages({
    base: upstream,
    upstream: pack('replicas: 3\npaused: false'),
    local: merged.files,
  });
  expect(next.conflicts).toEqual([]);
  expect(textIn(next.files, 'web.yaml')).toBe(web('replicas: 7 # ours\npaused: false'));
  expect(next.files.get(MERGE_FILE)).toEqual(remembering.get(MERGE_FILE));
});

test.each<[string, PackageFiles]>([
  ['upstream removes the field', pack('paused: true')],
  ['upstream makes a map of it', pack('replicas: { min: 2 }\npaused: true')],
])('people are asked again where %s', (_what, other) => {
  const { conflicts } = mergePackages({ base, upstream: other, local: remembering });
  expect(conflicts.map(({ path }) => path)).toEqual(['spec.replicas']);
});

test('a line is for one resource, one field and what is below it', () => {
  const two = mergePackages({
    base: pack('replicas: 1\nstrategy: { type: a }'),
    upstream: pack('replicas: 2\nstrategy: { type: b }'),
    local: pack('replicas: 7\nstrategy: { type: c }', { [MERGE_FILE]: textIn(remembering, MERGE_FILE)! }),
  });
  expect(two.conflicts.map(({ path }) => path)).toEqual(['spec.strategy.type']);
});

test('what upstream or a clone brings of such lines counts for nobody, and does not come', () => {
  const theirs = new Map([...upstream, [MERGE_FILE, remembering.get(MERGE_FILE)!] as const]);
  const merged = mergePackages({ base, upstream: theirs, local });
  expect(merged.conflicts).toHaveLength(1);
  expect(merged.files.has(MERGE_FILE)).toBe(false);
  const moved = filesOf({
    Kptfile: KPTFILE.replace('acme/up.git', 'acme/web.git'),
    'web.yaml': textIn(local, 'web.yaml')!,
    [MERGE_FILE]: textIn(remembering, MERGE_FILE)!,
  });
  const elsewhere = mergePackages({ base, upstream, local: moved });
  expect(elsewhere.conflicts).toHaveLength(1);
  expect(elsewhere.notes).toContainEqual(
    expect.objectContaining({
      code: 'LOCAL_OWNS_NOTHING',
      message: expect.stringContaining('another upstream'),
    }),
  );
});

test.each([
  ['upstream: changes', 'upstream: whatever', 'spec.localOwns[0] needs'],
  ['kind: MergeDecisions', 'kind: Other', 'It is no MergeDecisions document'],
  ['  localOwns:', '  localOwns: [', 'It cannot be read'],
])('a mistake (%s → %s) is told, and then nothing is settled', (from, to, sentence) => {
  const wrong = textIn(remembering, MERGE_FILE)!.replace(from, to);
  const bad = new Map([...local, ...filesOf({ [MERGE_FILE]: wrong })]);
  const { conflicts, notes } = mergePackages({ base, upstream, local: bad });
  expect(conflicts).toHaveLength(1);
  expect(notes.map(({ message }) => message).join()).toContain(sentence);
  expect(() => rememberLocal(bad, [conflict!], 'ada')).toThrow(MERGE_FILE);
});

test('lines are added below those that are there, none twice, and no other byte changes', () => {
  const before = textIn(remembering, MERGE_FILE)!.replace('      by: ada', '      by: ada # since June');
  const files = new Map([...local, ...filesOf({ [MERGE_FILE]: before })]);
  expect(rememberLocal(files, [conflict!], 'bob')).toBe(files);
  const other = { ...conflict!, path: 'spec.paused' };
  const after = textIn(rememberLocal(files, [other, conflict!], 'bob'), MERGE_FILE)!;
  expect(after.startsWith(before)).toBe(true);
  expect(after.slice(before.length)).toContain('path: spec.paused\n      upstream: changes\n      by: bob\n');
});

test('two drafts of one package are asked about, and merge their lines', () => {
  const merged = mergeConcurrent({ base, upstream, local: remembering });
  expect(merged.conflicts).toHaveLength(1);
  const lines = mergeConcurrent({ base: local, upstream: remembering, local });
  expect(lines.files.get(MERGE_FILE)).toEqual(remembering.get(MERGE_FILE));
});

test('other strategies keep the file', () => {
  const { files } = mergePackages({ base, upstream, local: remembering, strategy: 'force-delete-replace' });
  expect(files.get(MERGE_FILE)).toEqual(remembering.get(MERGE_FILE));
});

test('a publisher who ships lines that name the package itself owns nothing of its clones (89)', () => {
  const place = { repo: 'https://forge.example/acme/up.git', directory: '/web', ref: 'web/v1' };
  const clone = clonedPackage(remembering, {
    name: 'shop',
    upstream: place,
    lock: { ...place, commit: 'a'.repeat(40) },
  });
  expect(clone.has(MERGE_FILE)).toBe(false);
  const changed = new Map([...clone, ['web.yaml', local.get('web.yaml')!]]);
  expect(mergePackages({ base, upstream, local: changed }).conflicts).toHaveLength(1);
});
