/** Finds the package that a draft is to be made from: where it may come from, and at which commit. */

import type { Account } from '../../command/account.ts';
import { shown } from '../../command/arguments.ts';
import type { UpstreamWish } from '../../command/draft-request.ts';
import { revisionOf } from '../../command/package-name.ts';
import { type Refusal, refuse } from '../../command/refusal.ts';
import { allowsUpstream } from '../../config/allowed-upstream.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { atLeast, parseRole } from '../../config/role.ts';
import { PorticoError } from '../../error.ts';
import { closestWord } from '../../package/closest-word.ts';
import { fileIn, repositoryDirectory, type RepositoryDirectory } from '../../revision/package-path.ts';
import { howToShare } from '../downstream/not-shared.ts';
import type { RepositoryFacts } from '../forge/repository.ts';
import type { Git } from '../git-port.ts';
import type { RepositoryAccess, RepositoryRef, Ports, RepositoryWork } from '../ports.ts';
import { answered } from '../repository/caller.ts';
import { credentialRefusal, notForPublic, type CredentialRefusal } from '../repository/credential-refusal.ts';
import { credentialFor, followingRedirect, outsideOf, UNREADABLE } from '../repository/outside-upstream.ts';
import {
  channelRevision,
  loadRevisionRefs,
  newestRevision,
  publishedRefs,
  tagOf,
  revisionsByDirectory,
  type RevisionRefs,
} from '../repository/package-revisions.ts';
import { contentMayFlow } from '../repository/visibility.ts';
import { needWholeIndex } from '../repository/whole-index.ts';
import { foreignSentence } from '../text/markdown-blocks.ts';

export interface FoundUpstream {
  readonly git: Git;
  /** From the top of its repository; '' is the top. */
  readonly directory: RepositoryDirectory;
  /** As a Kptfile names it. */
  readonly repo: string;
  /** Tag, branch or commit, as a Kptfile names it. */
  readonly ref: string;
  /** The commit behind it. */
  readonly commit: string;
  /** For people: `acme/blueprints:basens@v1`. */
  readonly name: string;
  /** True for a branch, commit or other tag of a registered repository: whoever pushed it, no one approved it. */
  readonly unpublished?: true;
}

/** Who asks, and for which repository. */
export interface Asker extends Account {
  readonly facts: RepositoryFacts;
  readonly config: RepositoryConfig;
}

interface UpstreamLookup extends RepositoryWork {
  readonly asker: Asker;
  readonly wish: UpstreamWish;
}

/**
 * Looks the wish up. The content of a registered repository must be allowed to come here, and the caller must be able to
 * read it: otherwise everything is as if it did not exist. Any other address must be listed in `upstreams.allow` of the
 * base branch's configuration, and is read with the credential that stands beside it there, or as anyone may.
 */
export async function findUpstream({
  ports,
  access,
  asker,
  wish,
  signal,
}: UpstreamLookup): Promise<FoundUpstream | Refusal> {
  const place = await placeOf({ ports, access, asker, wish, signal });
  if ('kind' in place) return place;
  const opened = place.registered ?? (await openAddress(ports, asker, place.address, signal));
  if ('kind' in opened) return opened;
  const { git } = opened;
  const { directory } = place;
  const at = await resolveRef(git, directory, wish.ref, signal);
  if ('kind' in at) return at;
  if ((await git.readFile(at.commit, fileIn(directory, 'Kptfile'), signal)) === null) {
    return refuse(
      'no-such-package',
      `${shown(opened.name)} has no package ${shown(place.directory)} at ${shown(at.shown)}`,
      'Name a directory that holds a Kptfile.',
    );
  }
  const blocked = blockedBy(ports, opened.repo, directory, [wish.ref, at.shown]);
  if (blocked !== undefined) return blocked;
  return {
    git,
    directory,
    repo: opened.repo,
    ref: at.ref,
    commit: at.commit,
    name: `${opened.name}:${place.directory}@${at.shown}`,
    ...(place.registered !== undefined && at.isRevision !== true && { unpublished: true as const }),
  };
}

/** A deprecation that lets nobody new be made from the package, from the channel that is named, or from the revision. */
function blockedBy(
  { catalog }: Pick<Ports, 'catalog'>,
  repo: string,
  directory: RepositoryDirectory,
  named: readonly (string | undefined)[],
): Refusal | undefined {
  const document = catalog.byUrl(repo)?.channelFiles?.get(directory)?.document;
  const found = document?.deprecations.find(
    ({ severity, schema, name }) => severity === 'blocking' && (schema === 'package' || named.includes(name)),
  );
  if (found === undefined) return undefined;
  const what = found.schema === 'package' ? 'the package' : shown(found.name ?? '');
  const instead = found.supersededBy === undefined ? 'Take another one.' : `Take v${found.supersededBy}.`;
  const message = `${what} is deprecated, and no new package can be made from it: ${foreignSentence(found.message)}`;
  return refuse('deprecated', message.replace(/\.$/, ''), instead);
}

interface Opened {
  readonly git: Git;
  readonly repo: string;
  readonly name: string;
}

interface Place {
  readonly registered: Opened | undefined;
  readonly address: string;
  readonly directory: RepositoryDirectory;
}

async function placeOf({
  ports,
  access: { ref },
  asker,
  wish,
  signal,
}: UpstreamLookup): Promise<Place | Refusal> {
  const open = async (found: RepositoryRef | undefined): Promise<Opened | undefined> =>
    found === undefined ? undefined : openReadable(ports, asker, found, signal);
  const byName = (name: string): Promise<Opened | undefined> => open(ports.catalog.byName(name)?.ref);
  const { directory } = wish;
  if (wish.kind === 'url') {
    const registered = await open(ports.catalog.byUrl(wish.repo)?.ref);
    if (registered === undefined) needWholeIndex(ports);
    return { registered, address: wish.repo, directory };
  }
  if (wish.kind === 'repository') {
    const registered = await byName(wish.repo);
    if (registered === undefined) needWholeIndex(ports);
    return registered === undefined ? unknown(wish.repo, asker) : { registered, address: '', directory };
  }
  const [owner = '', name = '', ...rest] = directory.split('/');
  const named = name === '' ? undefined : await byName(`${owner}/${name}`);
  if (named !== undefined)
    return { registered: named, address: '', directory: repositoryDirectory(rest.join('/')) };
  if (rest.length > 0) needWholeIndex(ports);
  const { repo } = asker.config.defaultUpstream ?? {};
  const registered = repo === undefined ? await open(ref) : await byName(repo);
  if (registered === undefined) needWholeIndex(ports);
  return registered === undefined ? unknown(repo ?? '', asker) : { registered, address: '', directory };
}

/** Undefined where the content may not come here, or the caller may not read it: then it is not there for him. */
async function openReadable(
  ports: Ports,
  { login, id, facts, config }: Asker,
  ref: RepositoryRef,
  signal: AbortSignal | undefined,
): Promise<Opened | undefined> {
  const access = await ports.open(ref, signal);
  const { git, forge } = access;
  const from = await forge.get(signal);
  const isShown =
    from.id === facts.id ||
    ((await contentMayFlow({ access, facts: from }, { facts, config }, signal)) &&
      (from.visibility === 'public' || (await mayRead(forge, { login, id }, signal))));
  if (!isShown) return undefined;
  await git.fetch({}, signal);
  return { git, repo: from.cloneUrl.replace(/\.git$/, ''), name: from.fullName };
}

/** Asked of the forge at this moment; whatever it does not answer is no. */
async function mayRead(
  forge: RepositoryAccess['forge'],
  { login, id }: Account,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const member = await answered(forge.member(login, signal));
  // The login may belong to another account by now, which did not ask.
  if (member === undefined || (id !== undefined && member.id !== id)) return false;
  const role = parseRole(member.role);
  return role !== undefined && atLeast(role, 'read');
}

async function openAddress(
  ports: Ports,
  { config, facts }: Asker,
  address: string,
  signal: AbortSignal | undefined,
): Promise<Opened | Refusal> {
  const outside = outsideOf({ facts, config });
  const credential = credentialFor(outside, address);
  const allows = (at: string): boolean => allowsUpstream(outside.allow, at, outside.own);
  if (!allows(address)) {
    return refuse(
      'upstream-not-allowed',
      `${shown(address)} is neither a registered repository that shares with this one and that you can read, nor an address that this repository allows`,
      `Add it to \`spec.upstreams.allow\` in .github/portico.yaml on the default branch. ${howToShare(facts.fullName)}`,
    );
  }
  if (credential !== undefined && outside.isPublic) return needsCredential(address, notForPublic(credential));
  try {
    const fetched = async (git: Git): Promise<Git> => {
      await git.fetch({}, signal);
      return git;
    };
    const git = await followingRedirect({ ports, address, credential, allows, work: fetched, signal });
    if (git !== undefined) return { git, repo: address, name: address };
    return refuse(
      'upstream-not-allowed',
      `${shown(address)} has moved to another address, which this repository does not allow`,
      'Use the new address, and add it to `spec.upstreams.allow` in .github/portico.yaml on the default branch.',
    );
  } catch (error) {
    const refusal = credentialRefusal(error, credential);
    if (refusal !== undefined) return needsCredential(address, refusal);
    if (!(error instanceof PorticoError) || !UNREADABLE.test(error.code)) throw error;
    if (error.code === 'GIT_TOO_LARGE') {
      return refuse('upstream-too-large', `${shown(address)}: ${error.message}`, error.hint ?? '');
    }
    // What the other end said is not repeated: it is foreign text about a place inside or outside.
    return refuse(
      'upstream-unreachable',
      `${shown(address)} could not be read`,
      'Check that it exists and is public.',
    );
  }
}

function needsCredential(address: string, { why, remedy }: CredentialRefusal): Refusal {
  const sentence = why.charAt(0).toLowerCase() + why.slice(1).replace(/\.$/, '');
  return refuse('upstream-credentials', `${shown(address)} could not be read: ${sentence}`, remedy);
}

interface AtCommit {
  readonly ref: string;
  readonly commit: string;
  readonly shown: string;
  readonly isRevision?: true;
}

/** A revision, channel, tag, branch or whole commit id, in this order; without one the newest revision. */
async function resolveRef(
  git: Git,
  directory: RepositoryDirectory,
  wanted: string | undefined,
  signal: AbortSignal | undefined,
): Promise<AtCommit | Refusal> {
  const refs = await loadRevisionRefs(git, signal);
  if (wanted === undefined) {
    const newest = newestRevision(refs, directory);
    if (newest !== undefined) return revisionAt(directory, newest.name, newest.tag.commit);
    return notPublished(refs, directory, 'Write a branch, tag or commit after @.');
  }
  const name = revisionOf(wanted);
  const tag = name === undefined ? undefined : tagOf(refs, directory, name);
  if (name !== undefined && tag !== undefined) return revisionAt(directory, name, tag.commit);
  const channel = channelRevision(refs, directory, wanted);
  const pointed = channel === undefined ? undefined : tagOf(refs, directory, channel);
  if (channel !== undefined && pointed !== undefined) return revisionAt(directory, channel, pointed.commit);
  for (const short of [fileIn(directory, wanted), wanted]) {
    const found = refs.tags.get(`refs/tags/${short}`);
    if (found !== undefined) return { ref: short, commit: found.commit, shown: wanted };
  }
  if (/^[0-9a-f]{40}$/.test(wanted)) {
    const commit = await git.resolve(wanted, signal);
    if (commit !== null && (await isOnBranch(git, commit, signal)))
      return { ref: wanted, commit, shown: wanted.slice(0, 7) };
  } else if (!/^(?:drafts|proposed|deletionProposed|portico)\//.test(wanted)) {
    const branch = (await git.refs('refs/heads/', signal)).get(`refs/heads/${wanted}`);
    if (branch !== undefined) return { ref: wanted, commit: branch.commit, shown: wanted };
  }
  const newest = newestRevision(refs, directory)?.name;
  if (newest === undefined)
    return notPublished(refs, directory, 'Name a branch, tag or commit that exists there.');
  return refuse(
    'no-such-revision',
    `${shown(directory)} has no revision ${shown(wanted)} in that repository`,
    `The newest is ${newest}.`,
  );
}

/** A path without revisions may be one that is written wrong. */
function notPublished(refs: RevisionRefs, path: string, hint: string): Refusal {
  const near = closestWord(path, [...revisionsByDirectory(refs).keys()]);
  return refuse(
    'no-revision',
    `${shown(path)} has no published revision in that repository`,
    near === undefined ? hint : `Did you mean ${shown(near)}? ${hint}`,
  );
}

function revisionAt(directory: RepositoryDirectory, name: string, commit: string): AtCommit {
  return { ref: publishedRefs(directory, name).tag, commit, shown: name, isRevision: true };
}

/** Branches that are looked at for a commit. */
const MAX_BRANCHES = 200;

/** A commit that lies on no branch may be one that a stranger proposed from a fork. */
export async function isOnBranch(
  git: Git,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const branches = [...(await git.refs('refs/heads/', signal)).values()].slice(0, MAX_BRANCHES);
  for (const { commit: head } of branches) if (await git.isAncestor(commit, head, signal)) return true;
  const tags = [...(await git.refs('refs/tags/', signal)).values()];
  return tags.some((tag) => tag.commit === commit);
}

/** The same whether it is not there, may not come here, or may not be read by who asks. The name is as he wrote it. */
function unknown(name: string, { facts }: Asker): Refusal {
  return refuse(
    'unknown-upstream',
    `no repository ${shown(name)} is registered with Portico, shares with this one and is readable for you`,
    `Check the name, and that the repository holds .github/portico.yaml. ${howToShare(facts.fullName)}`,
  );
}
