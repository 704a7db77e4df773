import { judgeChannelFile, packageOfChannelFile } from '../../channels/judge-file.ts';
import { CODE_OWNER_FILES } from '../../config/code-owners.ts';
import type { ConfigResult } from '../../config/parse-repository-config.ts';
import type { Rollout } from '../../package/rollout/rollout.ts';
import { digestOf, fileDigest } from '../../revision/digest.ts';
import { isBelow } from '../../revision/package-path.ts';
import {
  configurationChanges,
  gatedChannels,
  type ConfigurationChange,
  type GatedChannel,
} from '../check/configuration-changes.ts';
import type { RepositoryAccess } from '../ports.ts';
import { loadDefinitions } from '../render/crd-definitions.ts';
import { CONFIGURATION_FILE, readConfiguration } from '../repository/configuration.ts';
import { decidingPlaces, isInPlace, type DecidingPlace } from '../repository/deciding-file.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import {
  documentProblems,
  readDocuments,
  type RepositoryDocuments,
} from '../repository/variant-documents.ts';
import { catchUserError } from '../text/why-refused.ts';

type Git = RepositoryAccess['git'];

/** What of a proposal may change the configuration; `packages` because a guardrail's file may be in one. */
export type Configuring = Pick<ProposalSnapshot, 'facts' | 'config' | 'otherFiles'> &
  Partial<Pick<ProposalSnapshot, 'packages'>>;

/** Whether something there may differ, told without reading any. */
function mayChange({ otherFiles, packages = [] }: Configuring, place: DecidingPlace): boolean {
  return (
    otherFiles.some(({ path }) => isInPlace(place, path)) ||
    packages.some(({ directory }) => isInPlace(place, directory) || isBelow(directory, place.path))
  );
}

/**
 * The places that decide what is let in, as the configuration in effect names them, and that differ, be it in a package. Nothing is
 * read where the proposal touches none.
 */
export async function changedPlaces(
  git: Git,
  proposal: Configuring,
  { base, head, files = head }: Pick<ConfiguredCommits, 'base' | 'head' | 'files'>,
  signal: AbortSignal | undefined,
): Promise<readonly DecidingPlace[]> {
  const changed: DecidingPlace[] = [];
  for (const place of decidingPlaces(proposal.config, proposal.facts.fullName)) {
    if (!mayChange(proposal, place)) continue;
    if (place.kind === 'configuration' || place.kind === 'documents') changed.push(place);
    else if (files !== head) continue;
    else if ((await identityAt(git, base, place, signal)) !== (await identityAt(git, head, place, signal)))
      changed.push(place);
  }
  return changed;
}

/** Of the content that counts there: of a folder with definitions these alone, whatever lies beside them. */
async function identityAt(
  git: Git,
  commit: string,
  { path, kind }: DecidingPlace,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  if (kind === 'definitions') {
    const read = await loadDefinitions(git, [{ path }], { base: commit }, signal);
    return 'code' in read ? null : digestOf('portico definitions in effect 1', read.definitions);
  }
  const bytes = await git.readFile(commit, path, signal);
  return bytes && fileDigest(bytes);
}

/** The commits that are compared. */
export interface ConfiguredCommits {
  /** The branch that the proposal goes into: files that guardrails name, and CODEOWNERS. */
  readonly base: string;
  /** The default branch: the configuration. */
  readonly configured: string;
  readonly head: string;
  /** Where the files that guardrails name come from after the merge; absent: the head. */
  readonly files?: string;
}

/** The file at the head; where packages are on another branch, a proposal there leaves the one in effect as it is. */
export async function configurationOf(
  git: Git,
  { facts: { defaultBranch }, config }: Configuring,
  { head, files = head }: ConfiguredCommits,
  signal: AbortSignal | undefined,
): Promise<ConfigResult | null> {
  if (config.branch !== defaultBranch && files === head) return { ok: true, config, problems: [] };
  return readConfiguration(git, head, defaultBranch, signal);
}

export interface ProposedDocuments {
  readonly before: RepositoryDocuments;
  readonly after: RepositoryDocuments;
}

/** The documents beside the configuration and the registered inventory on both sides; null where none differs. */
export async function proposedDocuments(
  git: Git,
  { places, config }: { readonly places: readonly DecidingPlace[] } & Pick<Configuring, 'config'>,
  { configured, head }: ConfiguredCommits,
  {
    known,
    signal,
  }: { readonly known?: RepositoryDocuments | undefined; readonly signal?: AbortSignal | undefined },
): Promise<ProposedDocuments | null> {
  if (!places.some(({ kind }) => kind === 'documents')) return null;
  const inventory = config.inventory?.directory;
  const at = (commit: string, documents = known): Promise<RepositoryDocuments> =>
    readDocuments({ git, commit, inventory, known: documents, signal });
  const before = await at(configured);
  return { before, after: await at(head, before) };
}

/** Mistakes of the documents beside the configuration. */
export function proposedProblems(documents: ProposedDocuments | null): ReturnType<typeof documentProblems> {
  if (documents === null) return [];
  return documentProblems(documents.after).filter(({ file }) => file.startsWith('.github/'));
}

/** What a proposal changes of the configuration in effect. `proposed` is null where it removes the file. */
export async function proposedChanges({
  git,
  proposal,
  places,
  proposed,
  documents,
  commits: { base, head },
  signal,
}: {
  readonly git: Git;
  readonly proposal: Configuring;
  readonly places: readonly DecidingPlace[];
  readonly proposed: ConfigResult | null;
  readonly documents: ProposedDocuments | null;
  readonly commits: ConfiguredCommits;
  readonly signal: AbortSignal | undefined;
}): Promise<readonly ConfigurationChange[]> {
  if (proposed === null) return [UNREGISTERED];
  // A mistake fails the check, and the configuration in effect stays; files that it names differ all the same.
  const after = proposed.ok ? proposed.config : proposal.config;
  const rolloutsOf = (side: 'before' | 'after'): readonly Rollout[] =>
    (documents?.[side].documents ?? []).flatMap(({ rollouts = [] }) =>
      rollouts.map(({ rollout }) => rollout),
    );
  const asksOwners = places.some(({ kind }) => kind === 'owners');
  const ownersAt = (commit: string): Promise<readonly string[]> =>
    asksOwners ? ownerLines(git, commit, signal) : Promise.resolve([]);
  const channels = await changedChannels(git, proposal, { base, head }, signal);
  const fields = configurationChanges(
    {
      config: proposal.config,
      rollouts: rolloutsOf('before'),
      owners: await ownersAt(base),
      channels: channels.before,
    },
    {
      config: after,
      rollouts: rolloutsOf('after'),
      owners: await ownersAt(head),
      channels: channels.after,
    },
  );
  const kept = new Set(decidingPlaces(after, proposal.facts.fullName).map(({ of }) => of));
  // Whether other content asks for less, no one can tell.
  const contents = places
    .filter(({ kind, of }) => (kind === 'file' || kind === 'definitions') && kept.has(of))
    .map(({ of, path }) => {
      const sides = { before: 'as in effect', after: 'other content' };
      return { field: `${of}: ${path}`, ...sides, weaker: true };
    });
  const changed =
    documents === null ? [] : documentChanges(proposal, documents, { places, unread: channels.unread });
  return [
    ...fields.filter(({ weaker }) => weaker),
    ...contents,
    ...changed.filter(({ weaker }) => weaker),
    ...fields.filter(({ weaker }) => !weaker),
    ...changed.filter(({ weaker }) => !weaker),
  ];
}

const UNREGISTERED: ConfigurationChange = {
  field: CONFIGURATION_FILE,
  before: 'registers this repository',
  after: 'removed: Portico no longer acts here',
  weaker: true,
};

/** Channel files are judged in groups of so many. */
const MAX_CHANNEL_FILES = 100;

/**
 * The gates in the channel files that differ. `unread`: gates are unknown of a file that cannot be read, or of one beyond the number that is
 * judged.
 */
async function changedChannels(
  git: Git,
  { otherFiles }: Configuring,
  { base, head }: Pick<ConfiguredCommits, 'base' | 'head'>,
  signal: AbortSignal | undefined,
): Promise<Readonly<Record<'before' | 'after', readonly GatedChannel[]>> & { readonly unread: Set<string> }> {
  const touched = otherFiles.flatMap(({ path: file }) => {
    const path = packageOfChannelFile(file);
    return path === undefined ? [] : [{ path, file }];
  });
  const unread = new Set(touched.slice(MAX_CHANNEL_FILES).map(({ file }) => file));
  const before: GatedChannel[] = [];
  const after: GatedChannel[] = [];
  for (const at of touched.slice(0, MAX_CHANNEL_FILES)) {
    const [old, now] = [await channelsAt(git, base, at, signal), await channelsAt(git, head, at, signal)];
    // A file that cannot be read takes nothing out of effect, and the next change of it counts as weaker.
    if (old === null) unread.add(at.file);
    else if (now !== null) {
      before.push(...old);
      after.push(...now);
    }
  }
  return { before, after, unread };
}

/** Null if the gates are unknown; an absent file has none. */
async function channelsAt(
  git: Git,
  commit: string,
  { path, file }: { readonly path: string; readonly file: string },
  signal: AbortSignal | undefined,
): Promise<readonly GatedChannel[] | null> {
  const bytes = await git.readFile(commit, file, signal);
  if (bytes === null) return [];
  const text = new TextDecoder().decode(bytes);
  const facts = { path, published: [], hotfix: true };
  const read = await catchUserError(
    async () => (await git.content?.channels(text, facts, signal)) ?? judgeChannelFile(text, facts),
    () => null,
  );
  return read?.channels === undefined ? null : gatedChannels(path, read.channels);
}

/** Documents whose fields have no rows: variants, inventories, the rest of channels. */
function documentChanges(
  { otherFiles }: Configuring,
  { before }: ProposedDocuments,
  { places, unread }: { readonly places: readonly DecidingPlace[]; readonly unread: ReadonlySet<string> },
): ConfigurationChange[] {
  const known = new Set([...before.documents, ...before.inventory].map(({ file }) => file));
  return otherFiles
    .filter(({ path }) => places.some((place) => place.kind === 'documents' && isInPlace(place, path)))
    .map(({ path, blob }) => ({
      field: path,
      before: known.has(path) ? 'as in effect' : 'not set',
      after: blob === null ? 'removed' : known.has(path) ? 'changed' : 'added',
      weaker: unread.has(path),
    }));
}

/** Lines of the CODEOWNERS file in effect at a commit, without comments. */
async function ownerLines(
  git: Git,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  for (const file of CODE_OWNER_FILES) {
    const bytes = await git.readFile(commit, file, signal);
    if (bytes === null) continue;
    return new TextDecoder()
      .decode(bytes)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'));
  }
  return [];
}
