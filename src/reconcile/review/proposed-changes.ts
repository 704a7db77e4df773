import { CODE_OWNER_FILES } from '../../config/code-owners.ts';
import { isOfGuardrails } from '../../config/guardrail-config.ts';
import type { ConfigResult } from '../../config/parse-repository-config.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import type { Rollout } from '../../package/rollout/rollout.ts';
import { isBelow } from '../../revision/package-path.ts';
import { configurationChanges, type ConfigurationChange } from '../check/configuration-changes.ts';
import type { RepositoryAccess } from '../ports.ts';
import { CONFIGURATION_FILE, DOCUMENTS } from '../repository/configuration.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import {
  documentProblems,
  readDocuments,
  type RepositoryDocuments,
} from '../repository/variant-documents.ts';

type Git = RepositoryAccess['git'];

/** What of a proposal may change the configuration; `packages` because a guardrail's file may be in one. */
export type Configuring = Pick<ProposalSnapshot, 'config' | 'otherFiles'> &
  Partial<Pick<ProposalSnapshot, 'packages'>>;

/** Whether a file of the repository may differ, told without reading any. */
function mayChange({ otherFiles, packages = [] }: Configuring, file: string): boolean {
  return (
    otherFiles.some(({ path }) => path === file || path.startsWith(`${file}/`)) ||
    packages.some(({ directory }) => isBelow(directory, file))
  );
}

/** Files, by their paths from the root, that this proposal may change and guardrails of the base are made from. */
function guardrailFiles(proposal: Configuring): { readonly guardrail: string; readonly file: string }[] {
  const { mutators, validators } = proposal.config.guardrails;
  return [...mutators, ...validators].flatMap((one) =>
    [one.configPath, one.policyPath, one.rego].flatMap((file) =>
      file !== undefined && mayChange(proposal, file) ? [{ guardrail: one.name, file }] : [],
    ),
  );
}

/** Whether the configuration, a document beside it or something that guardrails name differs. */
export function changesConfiguration({ config, otherFiles }: Configuring): boolean {
  return otherFiles.some(
    ({ path }) =>
      path === CONFIGURATION_FILE || path.startsWith(`${DOCUMENTS}/`) || isOfGuardrails(config, path),
  );
}

/** Whether CODEOWNERS or a guardrail's file differs, be it in a package. Nothing is read where the proposal touches none. */
export async function changesNamedFile(
  git: Git,
  proposal: Configuring,
  { base, head }: Pick<ConfiguredCommits, 'base' | 'head'>,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const files = [
    ...guardrailFiles(proposal).map(({ file }) => file),
    ...CODE_OWNER_FILES.filter((file) => mayChange(proposal, file)),
  ];
  for (const file of new Set(files)) {
    const [before, after] = [await git.readFile(base, file, signal), await git.readFile(head, file, signal)];
    if (text(before) !== text(after)) return true;
  }
  return false;
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

export interface ProposedDocuments {
  readonly before: RepositoryDocuments;
  readonly after: RepositoryDocuments;
}

/** The documents beside the configuration on both sides; null where none differs. */
export async function proposedDocuments(
  git: Git,
  proposal: Configuring,
  { configured, head }: ConfiguredCommits,
  signal: AbortSignal | undefined,
): Promise<ProposedDocuments | null> {
  if (!mayChange(proposal, DOCUMENTS)) return null;
  const at = (commit: string): Promise<RepositoryDocuments> =>
    readDocuments({ git, commit, inventory: undefined, known: undefined, signal });
  return { before: await at(configured), after: await at(head) };
}

/** Their mistakes. */
export function proposedProblems(documents: ProposedDocuments | null): ReturnType<typeof documentProblems> {
  return documents === null ? [] : documentProblems(documents.after);
}

/** What a proposal changes of the configuration in effect. `proposed` is null where it removes the file. */
export async function proposedChanges({
  git,
  proposal,
  proposed,
  documents,
  commits,
  signal,
}: {
  readonly git: Git;
  readonly proposal: Configuring;
  readonly proposed: ConfigResult | null;
  readonly documents: ProposedDocuments | null;
  readonly commits: ConfiguredCommits;
  readonly signal: AbortSignal | undefined;
}): Promise<readonly ConfigurationChange[]> {
  if (proposed === null) return [UNREGISTERED];
  // A mistake fails the check, and changes nothing.
  if (!proposed.ok) return [];
  const { base, head, files = head } = commits;
  const rolloutsOf = (side: 'before' | 'after'): readonly Rollout[] =>
    (documents?.[side].documents ?? []).flatMap(({ rollouts = [] }) =>
      rollouts.map(({ rollout }) => rollout),
    );
  const asksOwners = files === head && CODE_OWNER_FILES.some((file) => mayChange(proposal, file));
  const ownersAt = (commit: string): Promise<readonly string[]> =>
    asksOwners ? ownerLines(git, commit, signal) : Promise.resolve([]);
  const fields = configurationChanges(
    { config: proposal.config, rollouts: rolloutsOf('before'), owners: await ownersAt(base) },
    { config: proposed.config, rollouts: rolloutsOf('after'), owners: await ownersAt(head) },
  );
  const contents =
    files === head ? await fileChanges(git, proposal, { proposed: proposed.config, ...commits }, signal) : [];
  const changed = documents === null ? [] : documentChanges(proposal, documents);
  return [
    ...fields.filter(({ asks }) => asks),
    ...contents,
    ...fields.filter(({ asks }) => !asks),
    ...changed,
  ];
}

const UNREGISTERED: ConfigurationChange = {
  field: CONFIGURATION_FILE,
  before: 'registers this repository',
  after: 'removed: Portico no longer acts here',
  weaker: true,
  asks: true,
};

/** Files of guardrails that stay: whether other content asks for less, no one can tell. */
async function fileChanges(
  git: Git,
  proposal: Configuring,
  { base, head, proposed }: ConfiguredCommits & { readonly proposed: RepositoryConfig },
  signal: AbortSignal | undefined,
): Promise<ConfigurationChange[]> {
  const found: ConfigurationChange[] = [];
  const kept = new Set(
    [...proposed.guardrails.mutators, ...proposed.guardrails.validators].map(({ name }) => name),
  );
  for (const { guardrail, file } of guardrailFiles(proposal)) {
    if (!kept.has(guardrail)) continue;
    const [before, after] = [await git.readFile(base, file, signal), await git.readFile(head, file, signal)];
    if (text(before) === text(after)) continue;
    const field = `guardrail ${guardrail}: ${file}`;
    const now = after === null ? 'removed' : 'other content';
    found.push({ field, before: 'as in effect', after: now, weaker: true, asks: true });
  }
  return found;
}

function text(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : new TextDecoder().decode(bytes);
}

/** Documents whose fields have no rows: variants, inventories, channels. */
function documentChanges({ otherFiles }: Configuring, { before }: ProposedDocuments): ConfigurationChange[] {
  const known = new Set([...before.documents, ...before.inventory].map(({ file }) => file));
  return otherFiles
    .filter(({ path }) => path.startsWith(`${DOCUMENTS}/`))
    .map(({ path, blob }) => ({
      field: path,
      before: known.has(path) ? 'as in effect' : 'not set',
      after: blob === null ? 'removed' : known.has(path) ? 'changed' : 'added',
      weaker: false,
      asks: false,
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
