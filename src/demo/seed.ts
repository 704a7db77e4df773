/** What is there before the story starts: a repository of packages at v1, and two that were cloned from it. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, posix, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { simpleGit, type SimpleGit } from 'simple-git';

import { PorticoError } from '../error.ts';
import { withUpstream } from '../package/kptfile.ts';
import { DEPLOYED_BY, ORGANISATION, PEOPLE, UPSTREAM, type Downstream, type Person } from './cast.ts';
import { argoObjects, fluxObjects } from './clusters.ts';

/** The repositories are private: what one has may come into the other only where both say so. */
const SHARING = 'sharing: { within: organization }';

/** What the upstream has beside Portico's checks; nothing runs it on the local forge, which shows its checks where it is realistic. */
const CI =
  'name: CI\non: { push: { branches: [main] }, pull_request: }\njobs: { lint: { runs-on: ubuntu-latest, steps: [{ run: yamllint . }] } }\n';

const OWN_PACKAGES = new URL('./packages/', import.meta.url);

export interface Source {
  readonly path: string;
  /** True for the packages that come with Portico. */
  readonly own: boolean;
  /** Removes what was copied or cloned to a temporary place. */
  remove(): void;
}

/** Folder of packages to seed from: our own, a folder, or a clone of a repository. */
export async function sourceFolder(from: string | undefined): Promise<Source> {
  if (from === undefined) return { path: fileURLToPath(OWN_PACKAGES), own: true, remove: () => {} };
  if (existsSync(from) && statSync(from).isDirectory() && !isBare(from)) {
    return existsSync(join(from, 'Kptfile'))
      ? singlePackage(from, basename(resolve(from)))
      : { path: from, own: false, remove: () => {} };
  }
  const copy = temporaryFolder();
  const { path } = copy;
  try {
    await simpleGit().clone(existsSync(from) ? from : httpsOnly(from), path, ['--depth=1']);
  } catch (cause) {
    copy.remove();
    if (cause instanceof PorticoError) throw cause;
    throw new PorticoError('DEMO_SOURCE', `cannot clone ${from}`, {
      blame: 'user',
      hint: 'Give a folder or the https address of a git repository with packages.',
      cause,
    });
  }
  if (!existsSync(join(path, 'Kptfile'))) return { ...copy, own: false };
  const single = singlePackage(path, basename(from).replace(/\.git$/, ''));
  copy.remove();
  return single;
}

/** A folder in which one package lies, as a repository of packages has it. */
function singlePackage(folder: string, name: string): Source {
  const copy = temporaryFolder();
  cpSync(folder, join(copy.path, name), {
    recursive: true,
    filter: (path) => isContent(relative(folder, path)),
  });
  return { ...copy, own: false };
}

/**
 * The packages below a folder, sorted; with `inside`, the subpackages of the package at `below`. A package at the
 * very top is left out.
 */
export function findPackages(
  folder: string,
  { below = '', inside = false }: { readonly below?: string; readonly inside?: boolean } = {},
): string[] {
  const here = join(folder, below);
  if (!inside && below !== '' && existsSync(join(here, 'Kptfile'))) return [below];
  return readdirSync(here, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => posix.join(below, name))
    .sort()
    .flatMap((path) => findPackages(folder, { below: path }));
}

/** A work tree of one repository of the demo, as one person has it. */
export async function checkout(
  gitUrl: string,
  name: string,
  person: Person,
  folder: string,
): Promise<SimpleGit> {
  mkdirSync(folder, { recursive: true });
  const git = simpleGit(folder);
  await git.init(['--initial-branch=main']);
  await git.addConfig('user.name', person);
  await git.addConfig('user.email', `${person}@example.com`);
  const basic = Buffer.from(`x-access-token:${PEOPLE[person].token}`).toString('base64');
  await git.addConfig('http.extraheader', `Authorization: Basic ${basic}`);
  await git.addRemote('origin', `${gitUrl}/${ORGANISATION}/${name}.git`);
  return git;
}

/** Fills the upstream: the packages, the configuration that registers it, and the tag of each first revision. */
export async function seedUpstream(
  git: SimpleGit,
  folder: string,
  source: string,
  packages: readonly string[],
): Promise<void> {
  for (const path of packages)
    cpSync(join(source, path), join(folder, path), { recursive: true, filter: isContent });
  configure(folder, UPSTREAM, `directory: /\n  ${SHARING}`);
  writeInto(folder, '.github/workflows/ci.yaml', CI);
  await commitAndPush(git, 'Add the packages');
  for (const path of packages) await git.raw(['tag', '-a', `${path}/v1`, '-m', `${path} v1`]);
  await git.raw(['push', '-q', 'origin', '--tags']);
}

/** Fills a downstream: packages cloned at v1, as `kpt pkg get` would leave them. */
export async function seedDownstream(
  git: SimpleGit,
  folder: string,
  name: Downstream,
  upstream: {
    readonly folder: string;
    readonly url: string;
    readonly commit: string;
    readonly packages: readonly string[];
  },
): Promise<void> {
  for (const path of upstream.packages) {
    cpSync(join(upstream.folder, path), join(folder, path), { recursive: true, filter: isContent });
    const kptfile = join(folder, path, 'Kptfile');
    const place = { repo: upstream.url, directory: path, ref: `${path}/v1` };
    const locked = withUpstream(readFileSync(kptfile), {
      upstream: { type: 'git', git: place, updateStrategy: 'resource-merge' },
      upstreamLock: { type: 'git', git: { ...place, commit: upstream.commit } },
    });
    writeFileSync(kptfile, locked);
  }
  configure(folder, name, `deployment: true\n  updates: { follow: latest }\n  ${SHARING}`);
  const [first = ''] = upstream.packages;
  const objects = DEPLOYED_BY[name] === 'flux' ? fluxObjects : argoObjects;
  const followed = objects({ repository: `${ORGANISATION}/${name}`, folder: first });
  for (const [path, text] of Object.entries(followed)) writeInto(folder, path, text);
  await commitAndPush(git, 'Clone the packages at v1');
}

export async function commitAndPush(git: SimpleGit, message: string, branch = 'main'): Promise<void> {
  await git.add(['--all', '.']);
  await git.commit(message);
  await git.raw(['push', '-q', 'origin', `HEAD:refs/heads/${branch}`]);
}

export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'portico-demo-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

function configure(folder: string, name: string, spec: string): void {
  const text = `apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nmetadata:\n  name: ${name}\nspec:\n  branch: main\n  ${spec}\n`;
  writeInto(folder, '.github/portico.yaml', text);
}

function writeInto(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function isContent(path: string): boolean {
  return !path.split('/').includes('.git');
}

function isBare(path: string): boolean {
  return existsSync(join(path, 'HEAD')) && existsSync(join(path, 'objects'));
}

function httpsOnly(address: string): string {
  if (/^https:\/\/[^\s]+$/.test(address)) return address;
  throw new PorticoError('DEMO_SOURCE', `\`${address}\` is neither a folder nor an https address`, {
    blame: 'user',
    hint: 'Give a folder or the https address of a git repository with packages.',
  });
}
