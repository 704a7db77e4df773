import { resolve } from 'node:path';

import { PorticoError } from '../error.ts';
import { PACKAGE_LIMITS, readPackage } from '../git/read-package.ts';
import type { PackageFiles } from '../package/package.ts';
import { powerText } from '../package/power/power-markdown.ts';
import { previewOf, type Preview } from '../preview/preview.ts';
import { successionOf, successionText, type Succession } from '../preview/succession.ts';
import { parsePackageAtRevision, type PackageAtRevision } from '../revision/package-at-revision.ts';
import { pathInRepository } from '../revision/package-path.ts';
import { parseProvenance } from '../revision/provenance.ts';
import { revisionTag } from '../revision/ref-name.ts';
import { compareRevisions, parseRevisionName } from '../revision/revision-name.ts';
import { counted } from '../text/counted.ts';
import { openCheckout, openRepository, type LocalRepository } from './checkout.ts';
import { EXIT, usageError } from './exit-code.ts';
import { readFolder } from './folder.ts';
import { deployedFiles, processorInputs } from './processor-inputs.ts';
import { renderExit, reportRender } from './render-report.ts';
import { renderFiles } from './render.ts';
import { visible } from './terminal.ts';
import { placeIn, type Call } from './verb.ts';

/** What is previewed, and where it comes from. */
interface Subject {
  readonly files: PackageFiles;
  /** Of a published revision. */
  readonly revision?: {
    readonly package: string;
    readonly revision: string;
    readonly commit: string;
    /** Git's id of the package's tree. */
    readonly tree: string;
    /** The tree that was approved, as the tag says it. */
    readonly approved?: string;
    /** The newest revision before it, where there is one. */
    readonly previous?: string;
  };
}

type Comparison =
  | { readonly with: string; readonly from: 'option' | 'tag'; readonly same: boolean }
  | undefined;

/**
 * `portico preview PACKAGE@REVISION|DIR`: prints what would be executed, the permissions that it brings, and its digest. Exit
 * code 1 where that is not what was approved.
 */
export async function preview(call: Call): Promise<number> {
  const typed = call.positionals[0] ?? '.';
  const { terminal } = call;
  const named = parsePackageAtRevision(typed);
  const approved = approvedOf(call);
  const subject = named === undefined ? await fromFolder(call, typed) : await fromTag(call, named);
  if (typeof subject === 'number') return subject;
  const found = previewOf(subject.files, processorInputs(call, subject.files));
  const comparison = compared(found, subject, approved);
  const succession = await successionFor(call, subject);
  if (typeof succession === 'number') return succession;

  if (terminal.json) {
    const { revision } = subject;
    terminal.document({
      ...(revision !== undefined && {
        package: revision.package,
        revision: revision.revision,
        commit: revision.commit,
        tree: revision.tree,
      }),
      ...found,
      since: succession ?? null,
      approved: comparison ?? null,
    });
  } else {
    printPreview(call, subject, found);
    if (succession !== undefined) terminal.print(`${visible(successionText(succession))}\n`);
  }
  if (comparison === undefined) {
    if (subject.revision !== undefined) {
      terminal.warn('the tag does not say which tree was approved; compare with --approved');
    }
    return EXIT.ok;
  }
  if (comparison.same) {
    if (!terminal.json) terminal.print(`This is what was approved: ${comparison.with}`);
    return EXIT.ok;
  }
  const what = comparison.from === 'tag' ? 'what its tag says was approved' : 'what was approved';
  terminal.say(
    `${terminal.style('red', 'error:', 'stderr')} this is not ${what}, which is ${comparison.with}\n` +
      'Someone changed the package or moved the tag after the review. Check the difference before you deploy it.',
  );
  return EXIT.failed;
}

function approvedOf(call: Call): string | undefined {
  const typed = call.text('approved');
  if (typed === undefined || /^(?:sha256:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{64})$/.test(typed)) return typed;
  throw usageError(
    `--approved cannot be ${typed}`,
    'Give the digest that the preview printed at the review (sha256:…), or the full id of its git tree.',
  );
}

/**
 * What becomes of objects since the state that is named, or since the revision before; undefined where there is none, and an
 * exit code where a directory cannot be rendered.
 */
async function successionFor(
  call: Call,
  { files, revision }: Subject,
): Promise<Succession | number | undefined> {
  const typed = call.text('since');
  const before = typed ?? revision?.previous;
  if (before === undefined) return undefined;
  const named = parsePackageAtRevision(
    revision !== undefined && parseRevisionName(before) !== undefined
      ? `${revision.package}@${before}`
      : before,
  );
  const state = named === undefined ? await fromFolder(call, before) : await fromTag(call, named);
  if (typeof state === 'number') return state;
  const { revision: earlier } = state;
  const since = earlier === undefined ? before : `${earlier.package}@${earlier.revision}`;
  return successionOf(since, deployedFiles(call, state.files), deployedFiles(call, files));
}

/** What is given wins; a revision is held against its own tag otherwise. */
function compared(found: Preview, { revision }: Subject, given: string | undefined): Comparison {
  if (given !== undefined) {
    const own = given.startsWith('sha256:') ? found.digest : revision?.tree;
    if (own === undefined) {
      throw usageError('a directory has no git tree', 'Give the digest of a preview, sha256: and 64 digits.');
    }
    return { with: given, from: 'option', same: own === given };
  }
  const approved = revision?.approved;
  return approved === undefined
    ? undefined
    : { with: approved, from: 'tag', same: approved === revision?.tree };
}

/** A directory as it would be rendered; an exit code where it cannot be. */
async function fromFolder(call: Call, typed: string): Promise<Subject | number> {
  const directory = call.path(typed);
  const files = readFolder(directory, { warn: call.terminal.warn });
  if (!files.has('Kptfile')) return { files };
  const result = await renderFiles(files, directory, call);
  call.terminal.progress('');
  if (!result.ok) {
    reportRender(result, call.terminal, placeIn(call, directory));
    return renderExit(result);
  }
  if (result.changed.length > 0) {
    const changed = counted(result.changed.length, 'file');
    call.terminal.warn(
      `${typed} is not rendered: ${changed} would change. The preview shows the rendered package`,
    );
  }
  return { files: result.files };
}

async function fromTag(call: Call, named: PackageAtRevision): Promise<Subject> {
  const directory = resolve(call.path(call.text('repo') ?? '.'));
  await using repository = await openRepository(directory, call.signal);
  const { path, ref, commit } = await tagOf(call, repository, directory, named);
  const found = await readPackage({
    repo: repository.repo,
    commit,
    path,
    limits: PACKAGE_LIMITS,
    signal: call.signal,
  });
  if (found === null) {
    throw new PorticoError('PACKAGE_NOT_FOUND', `${ref} has no directory ${path}`, {
      blame: 'user',
      hint: 'The tag is not one that published this package.',
    });
  }
  for (const { path: left, reason } of found.skipped) {
    call.terminal.warn(`${left} is a ${reason} and is not checked`);
  }
  const approved = await approvedTree(repository, ref, named.revision);
  const { revision } = named;
  const previous = previousOf(repository, path, revision);
  return {
    files: found.files,
    revision: {
      ...(previous !== undefined && { previous }),
      package: path,
      revision,
      commit,
      tree: found.tree,
      ...(approved !== undefined && { approved }),
    },
  };
}

/** The newest revision of a package that is older than this one. */
function previousOf({ refs }: LocalRepository, path: string, revision: string): string | undefined {
  const prefix = `refs/tags/${revisionTag(path, revision)}`.slice(0, -revision.length);
  const own = parseRevisionName(revision);
  if (own === undefined) return undefined;
  return [...refs.keys()]
    .flatMap((ref) => (ref.startsWith(prefix) ? (parseRevisionName(ref.slice(prefix.length)) ?? []) : []))
    .filter((other) => compareRevisions(other, own) < 0)
    .toSorted(compareRevisions)
    .at(-1)?.name;
}

/** The tag of a revision; the path is taken from the repository's root, and then from its registered directory. */
async function tagOf(
  call: Call,
  { refs }: LocalRepository,
  directory: string,
  { path, revision }: PackageAtRevision,
): Promise<{ readonly path: string; readonly ref: string; readonly commit: string }> {
  const found = (at: string): { path: string; ref: string; commit: string } | undefined => {
    const ref = `refs/tags/${revisionTag(at, revision)}`;
    const commit = refs.get(ref);
    return commit === undefined ? undefined : { path: at, ref, commit };
  };
  const here = found(path) ?? found(await inRegisteredDirectory(call, directory, path));
  if (here !== undefined) return here;
  throw new PorticoError(
    'REVISION_MISSING',
    `this clone has no ${path}@${revision}: there is no tag ${revisionTag(path, revision)}`,
    {
      blame: 'user',
      hint: 'Fetch it with `git fetch --tags`, name another revision, or name another clone with --repo.',
    },
  );
}

async function inRegisteredDirectory(call: Call, directory: string, path: string): Promise<string> {
  try {
    await using checkout = await openCheckout(directory, call.signal);
    return pathInRepository(checkout.config.directory, path);
  } catch (error) {
    // A repository whose branch is not here has no registered directory to look in.
    if (error instanceof PorticoError && error.code === 'BRANCH_MISSING') return path;
    throw error;
  }
}

/** The tree that an annotated tag of ours says; a lightweight tag says nothing. */
async function approvedTree(
  { git }: LocalRepository,
  ref: string,
  revision: string,
): Promise<string | undefined> {
  if ((await git('cat-file', '-t', ref)) !== 'tag') return undefined;
  const text = await git('cat-file', 'tag', ref);
  const provenance = parseProvenance(text.slice(text.indexOf('\n\n') + 2));
  return provenance?.revision === revision ? provenance.tree : undefined;
}

function printPreview(call: Call, { revision }: Subject, found: Preview): void {
  const { terminal } = call;
  const title =
    revision === undefined ? (call.positionals[0] ?? '.') : `${revision.package}@${revision.revision}`;
  terminal.print(terminal.style('bold', visible(title)));
  if (revision !== undefined) terminal.print(`commit ${revision.commit}\ntree ${revision.tree}`);
  terminal.print(`digest ${found.digest}\n`);
  terminal.print(`${counted(found.resources.length, 'resource')}:`);
  for (const { kind, namespace, name, file } of found.resources) {
    terminal.print(visible(`  ${kind} ${namespace === '' ? '' : `${namespace}/`}${name}  [${file}]`));
  }
  const { directories, files } = found.inputs;
  if (directories.length > 0) {
    const where = visible(directories.join(', '));
    terminal.print(`Do not deploy ${where}: it holds ${counted(files, 'file')} that processors read.`);
  }
  const powers = powerText({ grown: false, changes: found.permissions, unread: found.unread });
  terminal.print(powers === '' ? '\nIt brings no permissions.\n' : `\nPrivileges:\n\n${visible(powers)}\n`);
}
