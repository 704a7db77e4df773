import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { documentsOf } from '../fbc/catalog-text.ts';
import { runVerb, type Ran } from '../fbc/run-verb.ts';
import { commitFiles, git, initRepository, kptfile, tag } from './git-fixture.ts';

const top = (): string => mkdtempSync(join(tmpdir(), 'portico-import-'));

function catalog(documents: readonly object[]): string {
  const directory = top();
  writeFileSync(join(directory, 'catalog.json'), documents.map((one) => JSON.stringify(one)).join('\n'));
  return directory;
}

function emptyClone(): string {
  const clone = initRepository(join(top(), 'clone'));
  commitFiles(clone, { 'README.md': 'packages\n' });
  return clone;
}

const imports = (clone: string, ...argv: string[]): Promise<Ran> =>
  runVerb('catalog', 'import', ...argv, '--repo', clone);
const refs = (clone: string): string => git(clone, ['for-each-ref', '--format=%(refname) %(objectname)']);

const FIRST = documentsOf({ stable: [{ name: 'p.v1.0.0' }, { name: 'p.v1.1.0', replaces: 'p.v1.0.0' }] });
const MORE = documentsOf({
  stable: [
    { name: 'p.v1.2.0', replaces: 'p.v1.1.0', skips: ['p.v1.0.5'] },
    { name: 'p.v1.1.0', replaces: 'p.v1.0.0' },
  ],
});

test('a catalog becomes packages, revisions and channels, and comes back as it was; what is there stays', async () => {
  const [clone, first, more] = [emptyClone(), catalog(FIRST), catalog(MORE)];
  const before = refs(clone);
  const planned = await imports(clone, first, '--into', 'operators');
  expect(planned.stdout).toBe(
    'operators/p: 2 new revisions, 0 already there\n  v1  p.v1.0.0\n  v2  p.v1.1.0\n' +
      'new: .github/portico/channels/operators/p.yaml\nnew: .github/portico/catalog/operators/p.json\n' +
      'Nothing is written without --write.\n',
  );
  expect(refs(clone)).toBe(before);
  const made = await imports(clone, first, '--into', 'operators', '--write', '--json');
  expect(JSON.parse(made.stdout)).toMatchObject({
    branch: 'import/catalog',
    tags: ['operators/p/v1', 'operators/p/v2'],
  });
  const files = git(clone, ['ls-tree', '-r', '--name-only', 'import/catalog']).split('\n');
  expect(files).toEqual([
    '.github/portico/catalog/operators/p.json',
    '.github/portico/channels/operators/p.yaml',
    'README.md',
    'operators/p/.krmignore',
    'operators/p/Kptfile',
    'operators/p/catalog-bundle.json',
  ]);
  expect(git(clone, ['show', 'import/catalog:.github/portico/channels/operators/p.yaml'])).toBe(
    readFileSync(new URL('imported-channels.yaml', import.meta.url), 'utf8').trim(),
  );
  expect(git(clone, ['log', '--format=%s', 'import/catalog'])).toBe(
    'Offer what was imported: p\noperators/p v2\noperators/p v1\nchange',
  );
  const exported = await runVerb('catalog', 'export', clone, '--branch', 'import/catalog');
  expect(exported.stderr).toBe('');
  expect(exported.stdout).toBe((await runVerb('catalog', 'render', first)).stdout);

  // What is there already writes nothing.
  const there = refs(clone);
  expect((await imports(clone, first, '--write')).stdout).toContain('Everything is already there.');
  expect(refs(clone)).toBe(there);
  // More of the same channel is added to it.
  expect((await imports(clone, more, '--write')).stdout).toContain(
    'operators/p: 1 new revision, 2 already there',
  );
  const all = await runVerb('catalog', 'export', clone, '--branch', 'import/catalog', '-o', 'json');
  expect(all.stdout).toContain('"skips": [\n                "p.v1.0.5"');
  expect(git(clone, ['tag', '--list'])).toBe('operators/p/v1\noperators/p/v2\noperators/p/v3');
});

test('a same key with other content is a conflict that names both and changes nothing', async () => {
  const [clone, first] = [emptyClone(), catalog(FIRST)];
  await imports(clone, first, '--write');
  const before = refs(clone);
  const other = FIRST.map((one) => ('image' in one ? { ...one, image: 'example.com/other:1' } : one));
  const second = catalog(other.slice(0, 3));
  const ran = await imports(clone, second, '--write');
  expect(ran.exit).toBe(1);
  expect(ran.stderr).toContain(
    `bundle "p.v1.0.0" of package "p" has several contents: ${second}/catalog.json:3 and p@v1/catalog-bundle.json:1`,
  );
  const edges = documentsOf({ stable: [{ name: 'p.v1.1.0' }, { name: 'p.v1.0.0' }] });
  const third = await imports(clone, catalog(edges), '--write');
  expect(third.stderr).toContain('entry "p.v1.1.0" of channel "stable" of package "p" has several contents');
  const broken = await imports(clone, catalog(documentsOf({ stable: [{ name: 'p.v9.0.0' }] })), '--write');
  expect([
    broken.exit,
    broken.stderr.includes('multiple channel heads found in graph: p.v1.1.0, p.v9.0.0'),
  ]).toEqual([1, true]);
  expect(refs(clone)).toBe(before);
  // Edges that are wanted otherwise are asked for.
  const turned = documentsOf({ stable: [{ name: 'p.v1.1.0', skips: ['p.v1.0.0'] }, { name: 'p.v1.0.0' }] });
  expect(await imports(clone, catalog(turned), '--write', '--replace-channels')).toMatchObject({ exit: 0 });
  const text = git(clone, ['show', 'import/catalog:.github/portico/channels/p.yaml']);
  expect(text).toContain('skips');
  expect(text).not.toContain('replaces');
});

test('a package that no catalog brought is not written over, nor is the branch that is checked out', async () => {
  const clone = emptyClone();
  const commit = commitFiles(clone, { 'p/Kptfile': kptfile('p') });
  tag(clone, 'p/v1', commit);
  const before = refs(clone);
  const ran = await imports(clone, catalog(FIRST), '--write');
  expect([ran.exit, ran.stderr]).toEqual([
    1,
    expect.stringContaining('p is a package that no catalog brought'),
  ]);
  expect(refs(clone)).toBe(before);
  const here = await imports(emptyClone(), catalog(FIRST), '--write', '--branch', 'main');
  expect([here.exit, here.stderr]).toEqual([
    65,
    'error: main is checked out\nCheck out another branch, or choose another with --branch.\n',
  ]);
});

test('packages of a repository are exported with the edges that their channels have', async () => {
  const clone = emptyClone();
  const config = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: redis }\ndata: { n: "';
  for (const number of [1, 2, 3, 4]) {
    const files = {
      'infra/redis/Kptfile': kptfile('redis'),
      'infra/redis/a.yaml': `${config}${number}" }\n`,
    };
    tag(clone, `infra/redis/v${number}`, commitFiles(clone, files, number), number);
  }
  const channels = `apiVersion: config.portico.dev/v1alpha1
kind: PackageChannels
package: infra/redis
defaultChannel: stable
channels:
- name: stable
  members: [v1, { revision: v2, waypoint: true }, { revision: v3, withdrawn: {} }, v4]
deprecations:
- { reference: { schema: revision, name: v1 }, message: old, severity: blocking, supersededBy: v2 }
- { reference: { schema: revision, name: v3 }, message: gone }
`;
  commitFiles(clone, { '.github/portico/channels/infra/redis.yaml': channels });
  const ran = await runVerb('catalog', 'export', clone);
  expect(ran.stderr).toBe('warning: infra/redis: the deprecation of v3 is skipped: no channel offers it\n');
  expect(ran.stdout).toContain(`entries:
- name: infra-redis.v1
  skipRange: <1.0.0
- name: infra-redis.v2
  replaces: infra-redis.v1
  skipRange: <2.0.0
- name: infra-redis.v4
  replaces: infra-redis.v2
  skipRange: '>=2.0.0 <4.0.0'
`);
  expect(ran.stdout).toContain("message: 'old (severity: blocking) Superseded by infra-redis.v2.'");
  const bare =
    'apiVersion: config.portico.dev/v1alpha1\nkind: PackageChannels\npackage: bare\ndefaultChannel: s\nchannels:\n- { name: s, auto: all }\n';
  const other = initRepository(join(top(), 'bare'));
  const commit = commitFiles(other, {
    'bare/Kptfile': kptfile('bare'),
    '.github/portico/channels/bare.yaml': bare,
  });
  const refsOf = Array.from({ length: 60 }, (_, at) => `create refs/tags/bare/v${at + 1} ${commit}`).join(
    '\n',
  );
  execFileSync('git', ['update-ref', '--stdin'], { cwd: other, input: `${refsOf}\n` });
  const refused = await runVerb('catalog', 'export', other);
  expect([refused.exit, refused.stderr.match(/bundle image must be set/g)?.length]).toEqual([65, 50]);
  expect(refused.stderr).toContain('and 10 more');
  const folder = join(top(), 'fbc');
  expect(await runVerb('catalog', 'export', clone, '--to', folder)).toMatchObject({ exit: 0 });
  const next = await runVerb(
    'catalog',
    'resolve',
    folder,
    '--package',
    'infra-redis',
    '--installed',
    'infra-redis.v1',
    '--json',
  );
  expect(JSON.parse(next.stdout)).toMatchObject({ resolved: 'infra-redis.v2' });
});
