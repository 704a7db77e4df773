import { expect, test } from 'vitest';

import type { CommitInfo, Git } from '../../../src/reconcile/git-port.ts';
import { openConflicts, updateConflicts } from '../../../src/reconcile/merge/open-conflicts.ts';
import { loadConfiguration } from '../../../src/reconcile/repository/configuration.ts';
import { readDocuments } from '../../../src/reconcile/repository/variant-documents.ts';
import { sealedCommitMessage, type CommitRecord } from '../../../src/reconcile/seal/commit-seal.ts';
import { sealedMessage } from '../../../src/reconcile/seal/update-record.ts';
import { humanCommitRanges } from '../../../src/reconcile/update/replay.ts';
import { createKeyring } from '../../../src/revision/keyring.ts';
import { repositoryDirectory } from '../../../src/revision/package-path.ts';
import { longTest } from '../../long-test.ts';

/** Past its limit no decision comes out in somebody's favour. The ports answer as git does. */
const seals = createKeyring(['a key']);
// No conflict here has a value that would have to be worked out.
const world = { seals, content: {} as Parameters<typeof openConflicts>[0]['ports']['content'] };

const commit = (at: number, message = `change ${at}`): CommitInfo =>
  ({
    repository: 1,
    oid: `${at}`.padStart(40, '0'),
    tree: 'a'.repeat(40),
    parents: ['b'.repeat(40)],
    message,
  }) as unknown as CommitInfo;

/** Newest first, as many as are asked for. */
const gitWith = (commits: readonly CommitInfo[]): Git =>
  ({
    log: async (_range: unknown, { limit = Infinity }: { limit?: number }) => commits.slice(0, limit),
    resolve: async () => 'c'.repeat(40),
    changedPaths: async () => [],
  }) as unknown as Git;

const many = Array.from({ length: 2_000 }, (_, at) => commit(at));
const pull = { headRepositoryId: 1, headRef: 'next', baseRef: 'main', body: '' };
const snapshot = { pull, facts: { id: 1 }, base: 'c'.repeat(40) } as never;

test('a branch with more commits than are looked through has open conflicts, for all that anybody knows (70)', async () => {
  const few = await openConflicts({
    ports: world,
    access: { git: gitWith(many.slice(0, 3)) },
    snapshot,
    head: 'head',
  });
  expect(few.lost).toBe(false);
  const found = await openConflicts({ ports: world, access: { git: gitWith(many) }, snapshot, head: 'head' });
  expect(found.lost).toMatchObject({ title: 'Too many commits' });
});

test('a conflict that a second rebase brings again is not decided by what was decided of the first', async () => {
  const one = { id: 'x', file: 'a.yaml', resource: null, path: 'data.a', taken: 'upstream' as const };
  const by = { by: 'bob', comment: 1 };
  const values = { base: 1, upstream: 2, local: 3 };
  const rebase = {
    kind: 'rebase',
    directory: repositoryDirectory('web'),
    index: 0,
    to: 'v2',
    ...by,
  } as const;
  const records: readonly CommitRecord[] = [
    { ...rebase, conflicts: [{ ...one, ...values }] },
    { kind: 'settle', settled: ['web:x'], side: 'local', ...by },
    { ...rebase, conflicts: [{ ...one, ...values }] },
  ];
  const at = { repository: 1, tree: 'a'.repeat(40), parents: ['b'.repeat(40)] };
  const log = records.map((record, n) => commit(n, sealedCommitMessage('Ours', record, at, seals)));
  const after = (count: number): ReturnType<typeof openConflicts> =>
    openConflicts({
      ports: world,
      access: { git: gitWith(log.slice(0, count).toReversed()) },
      snapshot,
      head: 'head',
    });
  expect(await after(2)).toMatchObject({ conflicts: [], decided: new Map([['web:x', 'local']]) });
  expect(await after(3)).toMatchObject({ conflicts: [{ id: 'x', number: 2 }], decided: new Map() });
});

test("an update's branch whose record lies below too many commits is not free of conflicts (70)", async () => {
  const record = {
    directory: repositoryDirectory('web'),
    upstream: 'a/b:web',
    to: 'v2',
    base: 'b'.repeat(40),
  };
  const at = { repository: 1, tree: 'a'.repeat(40), parents: ['b'.repeat(40)] };
  const ours = commit(9, sealedMessage('Update web', record, at, seals));
  const lookAt = (above: number): ReturnType<typeof updateConflicts> =>
    updateConflicts({
      ports: world,
      access: { git: gitWith([...many.slice(0, above), ours]) },
      snapshot,
      head: 'head',
    });
  expect((await lookAt(3)).lost).toBe(false);
  expect((await lookAt(500)).lost).toMatchObject({ title: 'A record of conflicts cannot be read' });
  expect((await lookAt(2_000)).lost).toMatchObject({ title: 'Too many commits' });
});

test('what people did below too many commits is not left out of an update (70)', async () => {
  const range = { base: 'base', head: 'head' };
  expect(await humanCommitRanges(world, gitWith(many.slice(0, 3)), range)).toEqual([]);
  expect(await humanCommitRanges(world, gitWith(many), range)).toBeNull();
});

const files = (count: number): Pick<Git, 'readPackage'> =>
  ({
    readPackage: async (_commit: string, top: string) => ({
      files: new Map(
        top.endsWith('inventory')
          ? []
          : Array.from({ length: count }, (_, at) => [
              `${at}.yaml`,
              { mode: '100644', bytes: Buffer.from('a: b\n'), id: `${at}` },
            ]),
      ),
    }),
  }) as unknown as Git;

test('documents past the limit are not taken for deleted: what is known stays, and it is told (70)', async () => {
  const known = await readDocuments({
    git: files(2_000),
    commit: 'one',
    inventory: undefined,
    known: undefined,
  });
  expect(known.documents).toHaveLength(2_000);
  const { documents } = await readDocuments({
    git: files(2_001),
    commit: 'two',
    inventory: undefined,
    known,
  });
  expect(documents.filter(({ id }) => /^\d+$/.test(id))).toHaveLength(2_000);
  const told = documents.flatMap(({ problems }) => problems).map(({ message }) => message);
  expect(told).toContainEqual(expect.stringContaining('more than 2000 YAML files'));
});

const own = 'apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nmetadata: { name: web }\nspec: {}\n';

const gitOf = (text: string): Git => ({
  ...gitWith(many.slice(0, 60)),
  readFile: async (_commit: string, path: string) =>
    path === '.github/portico.yaml' ? Buffer.from(text) : null,
  treeId: async () => null,
  readPackage: async () => null,
});

longTest(
  "an organisation's defaults that have never been without mistakes are not passed over (70)",
  async () => {
    const wrong = own.replace('spec: {}', 'spec: { guardrail: {} }');
    const repository = (defaults: string): Git => ({
      ...gitOf(own),
      organization: async () => ({ git: gitOf(defaults), defaultBranch: 'main' }),
    });
    expect(await loadConfiguration(repository(own), 'main')).toMatchObject({ state: 'registered' });
    expect(await loadConfiguration(repository(wrong), 'main')).toMatchObject({
      state: 'broken',
      problems: [expect.objectContaining({ file: '.github: .github/portico.yaml' })],
    });
  },
);
