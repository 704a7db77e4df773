import { expect, test } from 'vitest';

import { boundTo } from '../../../src/bot/bound-git.ts';
import type { Mirror } from '../../../src/git/mirror-types.ts';
import type { RepositoryFacts } from '../../../src/reconcile/forge/repository.ts';
import { openRegistered, registrationOf } from '../../../src/reconcile/repository/registered.ts';
import { BOT, file, useMirrors } from '../../git/mirror-fixture.ts';

const repositories = useMirrors();

const FACTS: RepositoryFacts = {
  id: 1,
  owner: 'acme',
  name: 'web',
  fullName: 'acme/web',
  defaultBranch: 'main',
  visibility: 'private',
  archived: false,
  htmlUrl: 'https://forge.example/acme/web',
  cloneUrl: 'https://forge.example/acme/web.git',
};

const configuration = (spec: string): string =>
  `apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nmetadata: { name: web }\nspec: ${spec}\n`;

async function put(mirror: Mirror, text: string | null): Promise<string> {
  const files = new Map([
    ['README.md', file('x\n')],
    ...(text === null ? [] : [['.github/portico.yaml', file(text)] as const]),
  ]);
  const tree = await mirror.writeTree(null, files);
  const to = await mirror.commitTree({ tree, parents: [], message: 'x', committer: BOT });
  const ref = 'refs/heads/main';
  expect((await mirror.push([{ ref, to, expect: null }])).ok).toBe(true);
  return to;
}

const open = (mirror: Mirror, facts: Partial<RepositoryFacts> = {}) => {
  const forge = { get: async () => ({ ...FACTS, ...facts }) };
  return openRegistered({ git: boundTo(1, mirror), forge: forge as never });
};

test('a registered repository is opened with its configuration and the head of its branch', async () => {
  const mirror = await repositories.open();
  const head = await put(mirror, configuration('{ directory: packages }'));
  expect(await open(mirror)).toMatchObject({
    kind: 'registered',
    head,
    facts: FACTS,
    config: { branch: 'main', directory: 'packages' },
  });
});

test.each([
  ['without the file', null, {}, { reason: 'not-registered', configuration: { state: 'absent' } }],
  [
    'whose file never was right',
    configuration('{ branch: 1 }'),
    {},
    { reason: 'not-registered', configuration: { state: 'broken' } },
  ],
  ['that is archived', configuration('{}'), { archived: true }, { reason: 'archived' }],
  ['without the branch that it names', configuration('{ branch: live }'), {}, { reason: 'no-branch' }],
])('a repository %s is not', async (_what, text, facts, answer) => {
  const mirror = await repositories.open();
  await put(mirror, text);
  expect(await open(mirror, facts)).toMatchObject({ kind: 'none', ...answer });
});

test('a registration needs no branch, and what was fetched is not fetched again', async () => {
  const mirror = await repositories.open();
  await put(mirror, configuration('{ branch: live }'));
  const git = {
    ...boundTo(1, mirror),
    fetch: () => Promise.reject(new Error('fetched')),
  };
  await git.resolve('refs/heads/main');
  await mirror.fetch();
  expect(await registrationOf({ git }, FACTS)).toMatchObject({ config: { branch: 'live' } });
  const forge = { get: () => Promise.reject(new Error('asked')) };
  const known = { facts: FACTS, isFetched: true };
  expect(await openRegistered({ git, forge: forge as never }, known)).toMatchObject({ reason: 'no-branch' });
});
