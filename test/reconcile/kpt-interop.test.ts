import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { below } from '../e2e/packages.ts';
import { configMap, kptfile } from './small-package.ts';
import type { StageRepository } from './stage-repository.ts';
import { startStage, type Stage } from './stage.ts';

const run = promisify(execFile);
/** Each costs the real kpt two runs. */
const MANY = 10;

let stage: Stage;
let catalog: StageRepository;
let folder: string;

beforeAll(async () => {
  stage = await startStage({
    catalog: {
      private: false,
      spec: 'branch: main\ndirectory: /packages\npublish: { requireApprovals: 0 }',
      files: { 'packages/.keep': '' },
    },
    down: { private: false, spec: 'branch: main\npublish: { requireApprovals: 0 }' },
  });
  catalog = stage.repository('catalog');
  folder = mkdtempSync(join(tmpdir(), 'portico-kpt-'));
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

/** Package `p<n>`: comments, several documents, a script, a subpackage, a file that is no resource. */
function packageOf(n: number, revision: number): Record<string, string> {
  const name = `p${n}`;
  const resource = (kind: string, called: string): string =>
    `# Of revision ${revision}.\napiVersion: v1\nkind: ${kind}\nmetadata:\n  name: ${called}\n  namespace: space\ndata:\n  one: "1"\n  revision: r${revision}\n`;
  return below(`packages/${n % 2 === 0 ? name : `deep/${name}`}`, {
    Kptfile: kptfile(name),
    'config.yaml': configMap(name, { color: `c${revision}`, number: `n${n}` }),
    'many.yaml': `${resource('ConfigMap', 'a')}---\n${resource('Secret', 'b')}`,
    'notes.txt': `Words of revision ${revision}\n\twith a tab\n`,
    ...(n % 3 === 0 && { [`only-${revision}.yaml`]: resource('ConfigMap', `only-${revision}`) }),
    ...(n % 4 === 0 && {
      'sub/Kptfile': kptfile('sub'),
      'sub/config.yaml': configMap('sub', { r: `${revision}` }),
    }),
  });
}

function publishAll(revision: number): Promise<unknown> {
  const files = Object.assign({}, ...Array.from({ length: MANY }, (_, n) => packageOf(n, revision)));
  const old =
    revision === 1
      ? {}
      : Object.fromEntries(
          Object.keys(
            Object.assign({}, ...Array.from({ length: MANY }, (_, n) => packageOf(n, revision - 1))),
          )
            .filter((path) => !(path in files))
            .map((path) => [path, null]),
        );
  return catalog.publish(`all-${revision}`, { ...old, ...files });
}

const kpt = (...args: string[]) => run('kpt', ['pkg', ...args], { cwd: folder });

/** Every file of a directory, by its path. */
function treeIn(directory: string): Promise<Record<string, string>> {
  const names = globSync('**/*', { cwd: directory, withFileTypes: true }).filter((entry) => entry.isFile());
  return withPeeledLocks(
    names.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(directory.length + 1), readFileSync(path, 'utf8')];
    }),
  );
}

/** The same of a directory on a branch. */
async function treeAt(
  repo: StageRepository,
  branch: string,
  directory: string,
): Promise<Record<string, string>> {
  const names = (await repo.git('ls-tree', '-r', '--name-only', `${branch}:${directory}`)).split('\n');
  return withPeeledLocks(
    await Promise.all(
      names.map(async (name) => [name, (await repo.read(`${directory}/${name}`, branch)) ?? ''] as const),
    ),
  );
}

/** kpt locks to the id of an annotated tag, Portico to the commit behind it: what they lead to has to be the same. */
async function withPeeledLocks(
  files: readonly (readonly [string, string])[],
): Promise<Record<string, string>> {
  const tree: Record<string, string> = {};
  for (const [path, text] of files) {
    const id = /^ {4}commit: ([0-9a-f]{40})$/m.exec(text)?.[1];
    tree[path] = id === undefined ? text : text.replace(id, await catalog.git('rev-parse', `${id}^{commit}`));
  }
  return tree;
}

test(
  'kpt gets and updates what Portico publishes, to the byte what Portico makes of it',
  { tags: ['campaign', 'kpt'], timeout: 300_000 },
  async () => {
    // A subpackage that only points at its upstream is fetched with the package.
    const upstream = `  git:\n    repo: ${catalog.url}\n    directory: /packages/deep/p1\n    ref: main\n`;
    const pointing = `${kptfile('inner')}upstream:\n  type: git\n${upstream}`;
    await catalog.push(
      'main',
      below('packages/pointer', { Kptfile: kptfile('pointer'), 'inner/Kptfile': pointing }),
    );
    await publishAll(1);
    await catalog.tag('packages/pointer/v1', await catalog.head('main'));
    expect([...(await catalog.tags()).keys()]).toHaveLength(MANY + 1);
    const down = stage.repository('down');
    const { data: issue } = await stage.as('alice').rest.issues.create({ ...down.where, title: 'Clones' });
    const paths = Array.from({ length: MANY }, (_, n) =>
      n % 2 === 0 ? `packages/p${n}` : `packages/deep/p${n}`,
    );
    const clones = paths.map((path, n) => `/portico clone acme/catalog:${path}@v1 p${n}`);
    expect((await down.command(issue.number, clones.join('\n'))).reaction).toBe('rocket');

    for (const [n, path] of paths.entries()) {
      await kpt('get', `${catalog.url}.git/${path}@${path}/v1`, `p${n}`);
      expect(await treeIn(join(folder, `p${n}`)), `get of ${path}`).toEqual(
        await treeAt(down, `drafts/p${n}/v1`, `p${n}`),
      );
    }

    const said = await down.command(issue.number, '/portico clone acme/catalog:packages/pointer@v1');
    expect(said.reaction, said.reply).toBe('rocket');
    await kpt('get', `${catalog.url}.git/packages/pointer@packages/pointer/v1`, 'pointer');
    expect(await treeIn(join(folder, 'pointer'))).toEqual(await treeAt(down, 'drafts/pointer/v1', 'pointer'));

    await publishAll(2);
    await down.command(
      issue.number,
      paths.map((path, n) => `/portico clone acme/catalog:${path}@v2 again/p${n}`).join('\n'),
    );
    for (const [n, path] of paths.entries()) {
      await kpt('update', `p${n}@${path}/v2`);
      expect(await treeIn(join(folder, `p${n}`)), `update of ${path}`).toEqual(
        await treeAt(down, `drafts/again/p${n}/v1`, `again/p${n}`),
      );
    }
  },
);
