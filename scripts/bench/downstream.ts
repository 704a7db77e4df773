/** An upstream and its downstream on a local forge: what fan-out is measured on. */
import { Octokit } from '@octokit/rest';
import { startForge, type LocalForge } from '@portico/localforge';

import { locked } from '../../test/e2e/packages.ts';
import { freePort } from '../../test/e2e/portico-process.ts';
import { writePackage } from './generated-package.ts';
import { git, type Workspace } from './workspace.ts';

export const OWNER = 'acme';
export const UPSTREAM = { owner: OWNER, repo: 'blueprints' };
export const KPTFILE = 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n';

/** An upstream with `web/v1`, and repositories of so many packages locked to it. */
export async function startDownstream(
  place: Workspace,
  repositories: number,
  packages: number,
): Promise<LocalForge> {
  const port = await freePort();
  const upstream = place.path('upstream');
  writePackage(
    upstream,
    new Map([['.github/portico.yaml', configuration('blueprints', '')], ...files('web', '1', KPTFILE)]),
  );
  git(upstream, 'init', '-q', '-b', 'main', '.');
  git(upstream, 'add', '-A');
  git(upstream, 'commit', '-q', '-m', 'web v1');
  git(upstream, 'tag', '-a', 'web/v1', '-m', 'web v1');
  const commit = git(upstream, 'rev-parse', 'HEAD');
  const Kptfile = locked(
    KPTFILE,
    `http://127.0.0.1:${port}/${OWNER}/blueprints.git`,
    'web',
    'web/v1',
    commit,
  );
  const seed = place.path('seed');
  writePackage(
    seed,
    new Map([
      ['.github/portico.yaml', configuration('down', '\n  updates: { follow: latest, maxOpen: 100 }')],
    ]),
  );
  for (let at = 0; at < packages; at += 1) writePackage(seed, new Map(files(`p${at}`, '1', Kptfile)));
  const names = Array.from({ length: repositories }, (_, at) => ({ name: `down-${at}`, from: seed }));
  return startForge({
    dataDir: place.path('forge'),
    manifestFile: 'app.yml',
    port,
    config: {
      tokens: { 'alice-token': { login: 'alice' } },
      users: [{ login: 'alice' }],
      orgs: [{ login: OWNER, members: { alice: 'admin' }, teams: [] }],
      repos: [{ name: 'blueprints', from: upstream }, ...names].map((one) => ({
        owner: OWNER,
        private: true,
        collaborators: {},
        ...one,
      })),
      app: { installations: [{ account: OWNER, repositories: 'all' }] },
    },
  });
}

export function configuration(name: string, more: string): string {
  return `apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nmetadata: { name: ${name} }\nspec:\n  branch: main\n  sharing: { within: organization }${more}\n`;
}

export function files(
  directory: string,
  version: string,
  Kptfile: string,
): [[string, string], [string, string]] {
  return [
    [`${directory}/Kptfile`, Kptfile],
    [
      `${directory}/config.yaml`,
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n  version: "${version}"\n`,
    ],
  ];
}

/** A commit and its tag, as a person makes them. */
export async function publishV2(apiUrl: string): Promise<void> {
  const { rest } = new Octokit({ auth: 'alice-token', baseUrl: apiUrl });
  const head = (await rest.git.getRef({ ...UPSTREAM, ref: 'heads/main' })).data.object.sha;
  const [path, content] = files('web', '2', '')[1];
  const tree = await rest.git.createTree({
    ...UPSTREAM,
    base_tree: head,
    tree: [{ path, content, mode: '100644', type: 'blob' }],
  });
  const commit = await rest.git.createCommit({
    ...UPSTREAM,
    message: 'web v2',
    tree: tree.data.sha,
    parents: [head],
  });
  const { sha } = commit.data;
  const tag = await rest.git.createTag({
    ...UPSTREAM,
    tag: 'web/v2',
    message: 'web v2',
    object: sha,
    type: 'commit',
  });
  await rest.git.createRef({ ...UPSTREAM, ref: 'refs/tags/web/v2', sha: tag.data.sha });
  await rest.git.updateRef({ ...UPSTREAM, ref: 'heads/main', sha });
}
