/** What a new draft holds, made of what there is; nothing is written here. */

import { shown } from '../../command/arguments.ts';
import type { DraftRequest, DraftSource } from '../../command/draft-request.ts';
import { noSuchRevision } from '../../command/not-found.ts';
import { type Refusal, refuse } from '../../command/refusal.ts';
import { readUpstream } from '../../command/upstream-wish.ts';
import type { CloneOptions } from '../../package/clone.ts';
import { initPackage, packageContext } from '../../package/init.ts';
import type { GitLocation } from '../../package/kptfile-types.ts';
import { lockedRef } from '../../package/package-version.ts';
import type { PackageFiles } from '../../package/package.ts';
import { remoteSubpackages } from '../../package/remote-subpackages.ts';
import { TOP, type RepositoryDirectory } from '../../revision/package-path.ts';
import { revisionsText } from '../../text/revision-text.ts';
import type { Git } from '../git-port.ts';
import { filesAt } from '../repository/package-files.ts';
import { taggedRevisions, tagOf } from '../repository/package-revisions.ts';
import type { CommandRecord } from '../seal/commit-seal.ts';
import { rebasedPackage } from './rebased-package.ts';
import { guardrailsAgainst } from './rollback-guardrails.ts';
import type { DraftSetting } from './setting.ts';
import { findUpstream, type FoundUpstream } from './upstream.ts';

export interface DraftContent {
  readonly before: PackageFiles;
  readonly after: PackageFiles;
  readonly title: string;
  readonly trailers: readonly string[];
  readonly record: CommandRecord;
}

/** The content of a draft, or why it cannot be made. */
export async function draftContent(
  setting: DraftSetting,
  { path, source }: DraftRequest,
  signal?: AbortSignal,
): Promise<DraftContent | Refusal> {
  const { access, asked, base, directory } = setting;
  const before = await filesAt(access.git, base, directory, signal);
  const by = { directory, by: asked.login, byId: asked.accountId, comment: asked.id, index: asked.index };
  switch (source.kind) {
    case 'init':
      return {
        before,
        after: new Map([...before, ...newFiles(setting, source, before)]),
        title: `New package ${path}`,
        trailers: [],
        record: { kind: 'draft', source: 'init', ...by },
      };
    case 'clone': {
      const clone = await clonedFiles(setting, directory, source, signal);
      if ('kind' in clone) return clone;
      return {
        before,
        after: new Map([...before, ...clone.files]),
        title: `Clone ${clone.name} as ${path}`,
        trailers: [`Cloned-From: ${clone.name}`],
        record: { kind: 'draft', source: 'clone', from: clone.name, ...unpublishedIn(clone), ...by },
      };
    }
    case 'edit':
      return {
        before,
        after: before,
        title: `Edit ${path}`,
        trailers: [],
        record: { kind: 'draft', source: 'edit', ...by },
      };
    case 'copy':
    case 'rollback':
      return fromRevision({ setting, path, source, before, by, signal });
    case 'rebase': {
      const rebased = await rebasedPackage(
        setting,
        { directory, base, local: before },
        source.upstream,
        signal,
      );
      if ('kind' in rebased) return rebased;
      return {
        before,
        after: rebased.files,
        ...rebased.commitText(path),
        record: { ...rebased.record, ...by },
      };
    }
  }
}

type ByCommand = Pick<CommandRecord, 'directory' | 'by' | 'comment' | 'index'>;

async function fromRevision({
  setting,
  path,
  source,
  before,
  by,
  signal,
}: {
  readonly setting: DraftSetting;
  readonly path: string;
  readonly source: Extract<DraftSource, { kind: 'copy' | 'rollback' }>;
  readonly before: PackageFiles;
  readonly by: ByCommand;
  readonly signal: AbortSignal | undefined;
}): Promise<DraftContent | Refusal> {
  const { access, directory, refs } = setting;
  const { revision, kind } = source;
  const tag = tagOf(refs, directory, revision);
  const after = tag === undefined ? new Map() : await filesAt(access.git, tag.commit, directory, signal);
  if (!after.has('Kptfile')) {
    const published = taggedRevisions(refs, directory).map(({ name }) => name);
    return noSuchRevision(path, revision, published);
  }
  if (kind === 'copy') {
    return {
      before,
      after,
      title: `Work on ${path} from ${revision}`,
      trailers: [`Copied-From: ${revision}`],
      record: { kind: 'draft', source: kind, from: revision, ...by },
    };
  }
  if (
    tag !== undefined &&
    (await sameTree({ git: access.git, a: tag.commit, b: setting.base, directory, signal }))
  ) {
    const locked = lockedRef(after);
    const sides = { here: { to: revision }, ...(locked !== undefined && { upstream: { to: locked } }) };
    return refuse(
      'same-content',
      `${shown(path)} already has the content of ${revisionsText(sides)}`,
      'There is nothing to do.',
    );
  }
  const against = await guardrailsAgainst(setting, path, after, signal);
  if (against !== undefined && !source.anyway) {
    return refuse(
      'guardrails-fail',
      `${shown(`${path}@${revision}`)} fails the current guardrails: ${against}`,
      `Start from it and fix it (/portico copy ${path}@${revision}). People who may approve can add --anyway.`,
    );
  }
  return {
    before,
    after,
    title: `Restore ${path} to ${revision}`,
    trailers: [
      `Restored-From: ${revision}`,
      ...(against === undefined ? [] : [`Guardrails-Waived-By: ${by.by}`]),
    ],
    record: {
      kind: 'draft',
      source: kind,
      from: revision,
      ...by,
      ...(against !== undefined && { anyway: true }),
    },
  };
}

/** The files of an empty package that are not there yet. */
export function newFiles(
  { asker: { facts, config }, directory }: Pick<DraftSetting, 'asker' | 'directory'>,
  source: Extract<DraftSource, { kind: 'init' }>,
  existing: PackageFiles,
): PackageFiles {
  const name = nameOf(directory, facts.name);
  const { description, keywords } = source;
  const files = new Map(
    initPackage(
      { name, ...(description !== undefined && { description }), ...(keywords && { keywords }) },
      existing,
    ),
  );
  if (config.deployment && files.has('package-context.yaml')) {
    const bytes = new TextEncoder().encode(packageContext(name));
    files.set('package-context.yaml', { mode: '100644', bytes });
  }
  return files;
}

type Place = Pick<DraftSetting, 'world' | 'access' | 'asker'>;

/** How deep packages may point at packages. */
const MAX_DEPTH = 8;

/** What was cloned, and from where. */
type ClonedFiles = Pick<FoundUpstream, 'name' | 'unpublished'> & { readonly files: PackageFiles };

/** For the record of a commit that takes content from elsewhere. */
export function unpublishedIn({
  unpublished,
}: Pick<FoundUpstream, 'unpublished'>): Pick<CommandRecord, 'unpublished'> {
  return unpublished === true ? { unpublished } : {};
}

/**
 * A package of another place as the new package in `directory`, with the subpackages that it only points at, each under
 * the same rules as the package itself.
 */
export async function clonedFiles(
  place: Place,
  directory: RepositoryDirectory,
  source: Extract<DraftSource, { kind: 'clone' }>,
  signal?: AbortSignal,
): Promise<ClonedFiles | Refusal> {
  const { asker } = place;
  const upstream = await findUpstream({
    ports: place.world,
    access: place.access,
    asker,
    wish: source.upstream,
    signal,
  });
  if ('kind' in upstream) return upstream;
  const copy = {
    name: nameOf(directory, asker.facts.name),
    strategy: 'resource-merge',
    deployment: asker.config.deployment,
  };
  const sources = [upstream];
  const files = await withPointedAt(
    place,
    await copied({ place, found: upstream, intent: undefined, copy, signal }),
    { sources, depth: 1 },
    signal,
  );
  if (!(files instanceof Map)) return files as Refusal;
  const unpublished = sources.some((one) => one.unpublished);
  return { files, name: upstream.name, ...(unpublished && { unpublished }) };
}

async function withPointedAt(
  place: Place,
  files: PackageFiles,
  /** What is found is added to `sources`. */
  { sources, depth }: { readonly sources: FoundUpstream[]; readonly depth: number },
  signal: AbortSignal | undefined,
): Promise<PackageFiles | Refusal> {
  const result = new Map(files);
  for (const [below, { name, upstream, upstreamLock, strategy }] of remoteSubpackages(files)) {
    if (upstreamLock !== undefined) continue;
    if (depth > MAX_DEPTH) {
      const message = `upstream references of packages are nested more than ${MAX_DEPTH} levels deep`;
      return refuse('upstream-too-deep', message, 'Check for a package that refers to itself.');
    }
    const wish = readUpstream(
      `${upstream.repo.replace(/\.git$/, '')}.git/${upstream.directory}@${upstream.ref}`,
    );
    const found =
      'directory' in wish
        ? await findUpstream({ ports: place.world, access: place.access, asker: place.asker, wish, signal })
        : wish;
    if ('kind' in found) {
      return refuse(
        found.code,
        `its subpackage ${shown(below)} has an upstream of its own: ${found.message}`,
        found.hint,
      );
    }
    sources.push(found);
    const fetched = await copied({
      place,
      found,
      intent: upstream,
      copy: { name, ...(strategy !== undefined && { strategy }) },
      signal,
    });
    const whole = await withPointedAt(place, fetched, { sources, depth: depth + 1 }, signal);
    if (!(whole instanceof Map)) return whole;
    for (const [path, file] of whole) result.set(`${below}/${path}`, file);
  }
  return result;
}

/** `intent` is what the copy says that it follows; what was found, unless given. */
async function copied({
  place: { world: ports },
  found,
  intent,
  copy,
  signal,
}: {
  readonly place: Place;
  readonly found: FoundUpstream;
  readonly intent: GitLocation | undefined;
  readonly copy: Pick<CloneOptions, 'name' | 'strategy' | 'deployment'>;
  readonly signal: AbortSignal | undefined;
}): Promise<PackageFiles> {
  const lock = {
    repo: found.repo,
    directory: found.directory === TOP ? '/' : `/${found.directory}`,
    ref: found.ref,
  };
  const files = await filesAt(found.git, found.commit, found.directory, signal);
  const options = { ...copy, upstream: intent ?? lock, lock: { ...lock, commit: found.commit } };
  return ports.content.clone(files, options, signal);
}

function nameOf(directory: RepositoryDirectory, repository: string): string {
  return directory === TOP ? repository : (directory.split('/').at(-1) ?? directory);
}

async function sameTree({
  git,
  a,
  b,
  directory,
  signal,
}: {
  readonly git: Git;
  readonly a: string;
  readonly b: string;
  readonly directory: RepositoryDirectory;
  readonly signal: AbortSignal | undefined;
}): Promise<boolean> {
  return (await git.treeId(a, directory, signal)) === (await git.treeId(b, directory, signal));
}
