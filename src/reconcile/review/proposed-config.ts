import type { CatalogRepository } from '../../catalog/catalog.ts';
import type { ConfigProblem } from '../../config/config-problem.ts';
import { exemptionState, MAX_EXEMPT_DAYS } from '../../config/exemptions.ts';
import { defaultRepositoryConfig } from '../../config/parse-repository-config.ts';
import type { Exemption, GuardrailConfig, RepositoryConfig } from '../../config/repository-config.ts';
import { readYaml } from '../../config/yaml-place.ts';
import { PorticoError } from '../../error.ts';
import { canonicalJson, digestOf } from '../../revision/digest.ts';
import { CONFIG_CHECK } from '../check-names.ts';
import { configCheck, type ProposedConfig } from '../check/config-check.ts';
import { tryConfiguration, type TrialWork } from '../check/config-trial.ts';
import { weakeningOf, type ConfigurationChange } from '../check/configuration-changes.ts';
import { proposedCatalog } from '../downstream/proposed-catalog.ts';
import type { Pull } from '../forge/pulls.ts';
import type { Ports, RepositoryAccess } from '../ports.ts';
import { loadGuardrails, type LoadedGuardrails } from '../render/guardrails.ts';
import { CONFIGURATION_FILE } from '../repository/configuration.ts';
import type { DecidingPlace } from '../repository/deciding-file.ts';
import { ORGANIZATION_REPOSITORY } from '../repository/organization.ts';
import { loadProposal, type ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { needKnownIndex } from '../repository/whole-index.ts';
import { loadApprovals } from './approvals.ts';
import { configApproval } from './config-approval.ts';
import { effectChanges, type IndexSides } from './effect-changes.ts';
import {
  changedPlaces,
  configurationOf,
  proposedChanges,
  proposedDocuments,
  proposedProblems,
  type Configuring,
  type ConfiguredCommits,
  type ProposedDocuments,
} from './proposed-changes.ts';

/** What of a pull request, or of the commit of a merge queue, is read. */
export type ConfiguringCommit = Configuring &
  Pick<ProposalSnapshot, 'facts' | 'base'> & {
    readonly head: { readonly oid: string };
    readonly files?: string;
  };

interface ComparedConfig extends ProposedConfig {
  /** Null where it has mistakes or is removed. */
  readonly proposed: RepositoryConfig | null;
  readonly documents: ProposedDocuments | null;
}

/** With what its effects elsewhere follow from. */
export interface ReadConfig extends ComparedConfig {
  /** Null where neither documents nor consent differ, or the repository is not in the index. */
  readonly index: IndexSides | null;
}

type ReadWork = TrialWork & { readonly ports: Pick<Ports, 'catalog'> };

/** The configuration of a proposal that changes it, or a file that it names, compared and tried; null where it does not. */
export async function proposedConfig({
  access: { git },
  registered,
  inForce,
  ...work
}: ReadWork & {
  readonly access: Pick<RepositoryAccess, 'git'>;
  readonly registered: ConfiguringCommit;
  readonly inForce: LoadedGuardrails;
}): Promise<ReadConfig | null> {
  const { facts, base, head, files } = registered;
  const sides = { base, head: head.oid };
  const places = await changedPlaces(
    git,
    registered,
    { ...sides, ...(files !== undefined && { files }) },
    work.signal,
  );
  if (places.length === 0) return null;
  const configured = (await git.resolve(`refs/heads/${facts.defaultBranch}`, work.signal)) ?? base;
  const commits = { ...sides, configured, ...(files !== undefined && { files }) };
  const known = work.ports.catalog.get(facts.id);
  const read = await configurationAt(
    work,
    git,
    { proposal: registered, places, known },
    { inForce, commits },
  );
  const index = await indexSides(work.ports, registered.config, read, known);
  const effects = index === null ? [] : effectChanges(index, read.changes);
  const weaker = read.changes.filter((one) => one.weaker);
  const changes = [...weaker, ...effects, ...read.changes.filter((one) => !one.weaker)];
  return { ...read, changes, index };
}

/** @throws PorticoError INDEX_INCOMPLETE, upon which the job is done later: who is in which wave is not known */
async function indexSides(
  ports: Pick<Ports, 'catalog' | 'content'>,
  inEffect: RepositoryConfig,
  { proposed, documents }: Pick<ReadConfig, 'proposed' | 'documents'>,
  here: CatalogRepository | undefined,
): Promise<IndexSides | null> {
  const now = proposed ?? inEffect;
  const isConsent = consentOf(inEffect) !== consentOf(now);
  if (documents === null && !isConsent) return null;
  needKnownIndex(ports);
  if (here === undefined) return null;
  const before = await proposedCatalog(ports, here, { config: inEffect, documents: documents?.before });
  const after = await proposedCatalog(ports, here, { config: now, documents: documents?.after });
  return {
    before: before.catalog,
    after: after.catalog,
    here,
    isWhole: before.isWhole && after.isWhole,
    isInherited: isConsent && here.ref.name === ORGANIZATION_REPOSITORY,
  };
}

/** Of the configuration what decides on documents of others, and what waves select by. */
function consentOf({ sharing, controlledBy, deployment }: RepositoryConfig): string {
  return canonicalJson({ sharing, controlledBy, deployment });
}

/** The configuration of a commit with its mistakes, or what it would change, and do to the packages that are there. */
async function configurationAt(
  work: TrialWork,
  git: RepositoryAccess['git'],
  {
    proposal,
    places,
    known,
  }: {
    readonly proposal: Configuring;
    readonly places: readonly DecidingPlace[];
    readonly known?: CatalogRepository | undefined;
  },
  { inForce, commits }: { readonly inForce: LoadedGuardrails; readonly commits: ConfiguredCommits },
): Promise<ComparedConfig> {
  const { ports, signal } = work;
  const { base, head, files = head } = commits;
  const proposed = await configurationOf(git, proposal, commits, signal);
  const bytes = await git.readFile(head, CONFIGURATION_FILE, signal);
  const lines = bytes === null ? new Map() : guardrailPlaces(bytes);
  const of = { places, config: proposal.config };
  const documents = await proposedDocuments(git, of, commits, { known, signal });
  const sides = { inForce, base, head: files };
  const trial =
    proposed?.ok === true ? await tryConfiguration(work, git, { config: proposed.config, ...sides }) : null;
  const changes = await proposedChanges({ git, proposal, places, proposed, documents, commits, signal });
  const compared = { before: proposal.config, after: proposed?.config ?? proposal.config, base, files };
  const all =
    trial === null ? changes : await withUnnamed(git, changes, compared, { signal, approved: inForce.reads });
  return {
    file: CONFIGURATION_FILE,
    problems: [
      ...(proposed?.problems ?? []),
      ...endlessExemptions(proposed?.config?.exemptions ?? [], ports.now()),
      ...proposedProblems(documents),
    ],
    changes: all,
    proposed: proposed?.config ?? null,
    documents,
    trial,
    placeOf: (guardrail) => lines.get(guardrail) ?? { line: 1, column: 1 },
  };
}

/** Guardrails that stay and would read something else there, and no row says what, count as weaker. */
async function withUnnamed(
  git: RepositoryAccess['git'],
  changes: readonly ConfigurationChange[],
  sides: {
    readonly before: RepositoryConfig;
    readonly after: RepositoryConfig;
    readonly base: string;
    readonly files: string;
  },
  work: { readonly signal: AbortSignal | undefined; readonly approved: ReadonlySet<string> },
): Promise<readonly ConfigurationChange[]> {
  if (changes.some(({ field }) => /^(?:guardrail|function) /.test(field))) return changes;
  const { before, after, base, files } = sides;
  const kept = ({ name }: GuardrailConfig): boolean =>
    [...after.guardrails.mutators, ...after.guardrails.validators].some((one) => one.name === name);
  const { mutators, validators } = before.guardrails;
  const guardrails = { mutators: mutators.filter(kept), validators: validators.filter(kept) };
  const config = { ...before, guardrails };
  const [is, becomes] = await Promise.all(
    [base, files].map((at) => loadGuardrails({ git, config, base: at, now: null, ...work })),
  );
  if (is?.digest === becomes?.digest) return changes;
  const field = 'what guardrails read';
  return [{ field, before: 'as in effect', after: 'changed', weaker: true }, ...changes];
}

/** Exemptions that would not count, because they end too late. */
function endlessExemptions(exemptions: readonly Exemption[], now: Date): ConfigProblem[] {
  return exemptions
    .filter((one) => exemptionState(one, now) === 'too-long')
    .map(({ name, file, until }) => ({
      code: 'out-of-range',
      file,
      path: 'spec.until',
      line: 1,
      column: 1,
      message: `the exemption ${name} lasts until ${until}, which is more than ${MAX_EXEMPT_DAYS} days from now`,
      hint: 'Choose an earlier day, and renew the document when it comes.',
    }));
}

/**
 * Checks the configuration of a pull request into the default branch, where packages are registered on another one:
 * nothing else in it is Portico's business.
 */
export async function checkConfigurationAlone(
  work: ReadWork & { readonly ports: Pick<Ports, 'app' | 'seals'> },
  access: RepositoryAccess,
  number: number,
): Promise<void> {
  const { ports, signal } = work;
  const loaded = await loadProposal(access, number, { anyBase: true }, signal);
  if (loaded.kind === 'none') return;
  const { snapshot } = loaded;
  const { pull, config, facts, head } = snapshot;
  if (pull.state === 'closed' || pull.baseRef !== facts.defaultBranch) return;
  const base = await access.git.resolve(`refs/heads/${config.branch}`, signal);
  if (base === null) return;
  const inForce = await loadGuardrails({ git: access.git, config, base, now: ports.now(), signal });
  // Files that guardrails name are read from the registered branch, whatever stands beside the configuration.
  const registered = { ...snapshot, base, files: base };
  const proposed = await proposedConfig({ ...work, access, registered, inForce });
  if (proposed === null) return;
  // No other check of ours is there whose external id an approval could be for.
  const digest = digestOf('portico configuration proposal 1', [head.oid, weakeningOf(proposed.changes)]);
  const known = { check: CONFIG_CHECK, beneath: () => Promise.resolve({ authors: [], unknown: [] }) };
  const approvals = await loadApprovals({ ports, access, snapshot, digest, known, signal });
  const approval = await configApproval({ access, snapshot, changes: proposed.changes, approvals, signal });
  const commit = { headSha: head.oid, externalId: digest, status: 'completed' } as const;
  await access.forge.putCheck({ ...configCheck({ ...proposed, approval }), ...commit }, signal);
}

/**
 * Checks the configuration that the pull request of the onboarding brings, as people may have changed it, on the packages that the
 * repository holds. Nothing is in force there yet.
 */
export async function checkOffer(
  work: TrialWork,
  { git, forge }: Pick<RepositoryAccess, 'git' | 'forge'>,
  offer: Pull,
): Promise<void> {
  const { ports, signal } = work;
  const facts = offer.baseRepository ?? (await forge.get(signal));
  const base = await git.resolve(`refs/heads/${facts.defaultBranch}`, signal);
  const head = await git.resolve(offer.headSha, signal);
  if (base === null || offer.baseRef !== facts.defaultBranch) return;
  if (head === null)
    throw new PorticoError('HEAD_NOT_FETCHED', `git does not have the head of #${offer.number} yet`, {
      blame: 'forge',
    });
  const nothing = defaultRepositoryConfig(facts.defaultBranch);
  const inForce = await loadGuardrails({ git, config: nothing, base, now: ports.now(), signal });
  const paths = await git.changedPaths(base, head, signal);
  const otherFiles = paths.map(({ path, after }) => ({ path, blob: after?.id ?? null }));
  const proposal = { facts, config: nothing, otherFiles };
  const commits = { base, configured: base, head };
  const at = { proposal, places: await changedPlaces(git, proposal, commits, signal) };
  const proposed = await configurationAt(work, git, at, { inForce, commits });
  const commit = { headSha: head, externalId: head, status: 'completed' } as const;
  // Before there is a configuration nothing is protected: it shows what differs from the defaults.
  const changes = proposed.changes.map((one) => ({ ...one, weaker: false }));
  await forge.putCheck({ ...configCheck({ ...proposed, changes }), ...commit }, signal);
}

/** Where each guardrail's name stands in the file. */
function guardrailPlaces(bytes: Uint8Array): Map<string, { readonly line: number; readonly column: number }> {
  const places = new Map<string, { readonly line: number; readonly column: number }>();
  const { data, placeOf } = readYaml(CONFIGURATION_FILE, bytes);
  for (const list of ['mutators', 'validators'] as const) {
    const entries = (data as { spec?: { guardrails?: Partial<Record<typeof list, { name?: unknown }[]>> } })
      ?.spec?.guardrails?.[list];
    for (const [at, entry] of (Array.isArray(entries) ? entries : []).entries()) {
      const path = ['spec', 'guardrails', list, at, 'name'];
      if (typeof entry?.name === 'string') places.set(entry.name, placeOf(path));
    }
  }
  return places;
}
