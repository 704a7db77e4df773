import { resolve } from 'node:path';

import { PorticoError } from '../error.ts';
import { PACKAGE_LIMITS, readPackage } from '../git/read-package.ts';
import type { Repo } from '../git/repo.ts';
import { findPackages } from '../git/tree.ts';
import { commitTree, writeTree } from '../git/write.ts';
import { initPackage, packageContext } from '../package/init.ts';
import { lockedRef } from '../package/package-version.ts';
import { sameFile, type PackageFiles } from '../package/package.ts';
import type { FileChange, FileChanges } from '../reconcile/git-port.ts';
import { nextRevision, revisionsOf } from '../revision/numbering.ts';
import {
  fileIn,
  packagePathOf,
  pathInRepository,
  TOP,
  type RepositoryDirectory,
} from '../revision/package-path.ts';
import { revisionTag } from '../revision/ref-name.ts';
import { counted } from '../text/counted.ts';
import { revisionsText } from '../text/revision-text.ts';
import { openCheckout, type Checkout } from './checkout.ts';
import { EXIT, usageError } from './exit-code.ts';
import { fetchPackage } from './fetch-package.ts';
import { planDraft, plannedBranch, type DraftKind, type DraftPlan } from './local/draft-plan.ts';
import { parseUpstream } from './upstream-location.ts';
import { openUserGit } from './user-git.ts';
import type { Call } from './verb.ts';

const KINDS: readonly DraftKind[] = ['init', 'clone', 'copy', 'edit', 'rollback'];

/**
 * `portico draft init|clone|copy|edit|rollback`: makes the branch of a draft in a checkout, by the rules of the
 * commands of the same names. The work tree stays as it is.
 */
export async function draft(call: Call): Promise<number> {
  const [word = '', first = '', second] = call.positionals;
  const kind = KINDS.find((one) => one === word);
  if (kind === undefined) {
    throw usageError(
      `a draft is created with ${KINDS.join(', ')}, not with ${word}`,
      'See: portico draft --help',
    );
  }
  if (first === '') throw usageError('the package is missing', 'See: portico draft --help');
  if (kind !== 'clone' && second !== undefined)
    throw usageError(`too many arguments: ${second}`, 'Remove it.');
  const origin = kind === 'clone' ? parseUpstream(first, call.path) : undefined;
  const named = kind === 'clone' ? (second ?? origin?.directory.split('/').at(-1) ?? '') : first;
  const plan = planDraft(kind, named, call.text('workspace'));
  const objectsAt = resolve(call.path(call.text('repo') ?? '.'));
  await using checkout = await openCheckout(objectsAt, call.signal);

  const directory = pathInRepository(checkout.config.directory, plan.path);
  const branch = await branchFor(checkout, plan, directory, call.signal);
  const before = await filesAt(checkout.repo, checkout.base, directory, call.signal);
  const after = await content({ call, checkout, plan, at: { directory, before }, origin });
  const changes = changesIn(directory, before, after);
  if (plan.kind === 'rollback' && changes.size === 0) {
    const locked = lockedRef(after);
    const sides = {
      here: { to: plan.revision ?? '' },
      ...(locked !== undefined && { upstream: { to: locked } }),
    };
    throw new PorticoError(
      'DRAFT_REFUSED',
      `${plan.path} already has the content of ${revisionsText(sides)}`,
      { blame: 'user', hint: 'There is nothing to do.' },
    );
  }
  const commit = await commitOn({
    checkout,
    changes,
    plan,
    upstream: origin === undefined ? '' : (call.positionals[1] ?? ''),
    signal: call.signal,
  });
  await checkout.git('update-ref', `refs/heads/${branch}`, commit, '0'.repeat(commit.length));
  const remote = call.text('push');
  if (remote !== undefined)
    await checkout.git(
      'push',
      '--quiet',
      '--end-of-options',
      remote,
      `refs/heads/${branch}:refs/heads/${branch}`,
    );
  if (call.terminal.json)
    call.terminal.document({ branch, commit, package: directory, changed: [...changes.keys()].sort() });
  else
    call.terminal.print(
      `${branch}: ${counted(changes.size, 'file')} changed; open a draft pull request for it${remote === undefined ? ' once it is pushed' : ''}`,
    );
  return EXIT.ok;
}

async function branchFor(
  { repo, refs, config, base }: Checkout,
  plan: DraftPlan,
  directory: RepositoryDirectory,
  signal: AbortSignal,
): Promise<string> {
  const numbering = config.versioning === 'semver' ? ({ semver: 'minor' } as const) : 'sequence';
  const workspace = plan.workspace ?? nextRevision(revisionsOf(directory, refs.keys()), numbering);
  const below = (prefix: string): string[] =>
    [...refs.keys()].filter((ref) => ref.startsWith(prefix)).map((ref) => ref.slice(prefix.length));
  const packages = await findPackages(repo, base, TOP, signal);
  const ground = {
    packages: packages.map((found) => found.directory),
    branches: [...below('refs/heads/'), ...below('refs/remotes/origin/')],
    tags: below('refs/tags/'),
    named: (one: string) => packagePathOf(config.directory, one) ?? one,
    hasFiles: directory === TOP || (await filesAt(repo, base, directory, signal)).size > 0,
  };
  const branch = plannedBranch(plan, directory, workspace, ground);
  if (!ground.branches.includes(branch)) return branch;
  throw new PorticoError('DRAFT_REFUSED', `a draft ${branch} already exists`, {
    blame: 'user',
    hint: 'Continue in that draft, or choose another workspace with --workspace.',
  });
}

async function content({
  call,
  checkout,
  plan,
  at,
  origin,
}: {
  readonly call: Call;
  readonly checkout: Checkout;
  readonly plan: DraftPlan;
  readonly at: { readonly directory: RepositoryDirectory; readonly before: PackageFiles };
  readonly origin: ReturnType<typeof parseUpstream> | undefined;
}): Promise<PackageFiles> {
  const { config, refs, repo } = checkout;
  const name = at.directory === TOP ? checkout.name : (at.directory.split('/').at(-1) ?? at.directory);
  switch (plan.kind) {
    case 'edit':
      return at.before;
    case 'init': {
      const description = call.text('description');
      const made = new Map(
        initPackage({ name, ...(description === undefined ? {} : { description }) }, at.before),
      );
      if (config.deployment && made.has('package-context.yaml')) {
        const bytes = new TextEncoder().encode(packageContext(name));
        made.set('package-context.yaml', { mode: '100644', bytes });
      }
      return new Map([...at.before, ...made]);
    }
    case 'clone': {
      if (origin === undefined) return at.before;
      await using git = await openUserGit(call.signal);
      const copy = { name, strategy: 'resource-merge', deployment: config.deployment } as const;
      return await fetchPackage({ git, origin, copy, terminal: call.terminal });
    }
    case 'copy':
    case 'rollback': {
      const tag = refs.get(`refs/tags/${revisionTag(at.directory, plan.revision ?? '')}`);
      const files = tag === undefined ? new Map() : await filesAt(repo, tag, at.directory, call.signal);
      if (files.has('Kptfile')) return files;
      throw new PorticoError(
        'DRAFT_REFUSED',
        `this clone has no revision ${plan.revision ?? ''} of ${plan.path}`,
        { blame: 'user', hint: 'Fetch the tags: git fetch --tags' },
      );
    }
  }
}

async function commitOn({
  checkout: { repo, base, git },
  changes,
  plan,
  upstream,
  signal,
}: {
  readonly checkout: Checkout;
  readonly changes: FileChanges;
  readonly plan: DraftPlan;
  readonly upstream: string;
  readonly signal: AbortSignal;
}): Promise<string> {
  if (plan.kind === 'edit') return base;
  const tree = await writeTree(repo, base, changes, signal);
  const [, name = '', email = ''] =
    /^(.*) <(.*)> \d+ [+-]\d+$/.exec(await git('var', 'GIT_COMMITTER_IDENT')) ?? [];
  const { path, revision = '' } = plan;
  const report = {
    init: [`New package ${path}`, ''],
    clone: [`Clone ${upstream} as ${path}`, `\n\nCloned-From: ${upstream}`],
    copy: [`Work on ${path} from ${revision}`, `\n\nCopied-From: ${revision}`],
    rollback: [`Restore ${path} to ${revision}`, `\n\nRestored-From: ${revision}`],
  }[plan.kind];
  const message = `${report.join('')}\n`;
  return commitTree(repo, { tree, parents: [base], message, committer: { name, email } }, signal);
}

async function filesAt(
  repo: Repo,
  commit: string,
  directory: RepositoryDirectory,
  signal: AbortSignal,
): Promise<PackageFiles> {
  return (
    (await readPackage({ repo, commit, path: directory, limits: PACKAGE_LIMITS, signal }))?.files ?? new Map()
  );
}

/** What turns a package's directory into its draft, named from the top of the repository. */
function changesIn(directory: RepositoryDirectory, before: PackageFiles, after: PackageFiles): FileChanges {
  const changes = new Map<string, FileChange>();
  for (const [file, wanted] of after) {
    if (!sameFile(before.get(file), wanted))
      changes.set(fileIn(directory, file), { mode: wanted.mode, bytes: wanted.bytes });
  }
  for (const file of before.keys()) if (!after.has(file)) changes.set(fileIn(directory, file), null);
  return changes;
}
