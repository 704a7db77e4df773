/** A repository read into the index, and who is to look at what follows from that. */
import type { CatalogPackage, CatalogRepository } from '../../catalog/catalog.ts';
import type { ConfigProblem } from '../../config/config-problem.ts';
import { configCheckAt } from '../check/config-check.ts';
import { prepareVariants } from '../downstream/prepare-variants.ts';
import { variantPlan } from '../downstream/variant-plan.ts';
import { withdrawnJobs } from '../downstream/withdrawn-jobs.ts';
import { mayBeRestored } from '../draft/restoration.ts';
import { pullJob, restorationJob } from '../jobs.ts';
import type { RepositoryAccess, RepositoryRef, Ports, RepositoryWork } from '../ports.ts';
import { offerOperators, promoteByItself } from '../promotion/auto-promotion.ts';
import { deriveChannelTags } from '../publication/channel-tags.ts';
import { allChannels } from '../repository/channel-files.ts';
import { formerNames, learnNames, MAX_ASKED } from '../repository/former-names.ts';
import { indexPackages } from '../repository/index-packages.ts';
import { indexedChannels } from '../repository/indexed-channels.ts';
import { loadRevisionRefs, revisionsByDirectory } from '../repository/package-revisions.ts';
import { openRegistered, type Registered } from '../repository/registered.ts';
import {
  documentProblems,
  readDocuments,
  type RepositoryDocuments,
} from '../repository/variant-documents.ts';
import { patientLook } from '../repository/whole-index.ts';
import { jobsAfterIndexing } from './jobs-after-indexing.ts';

export type RepositoryReconciler = (repository: RepositoryRef, signal?: AbortSignal) => Promise<void>;

/**
 * Indexes a repository, then asks for every downstream package to be looked at that it could concern: its own, and
 * those locked to its packages. This is the fan-out of a published revision.
 */
export function createRepositoryReconciler(ports: Ports): RepositoryReconciler {
  const { catalog } = ports;
  return patientLook(ports, async (repository, signal) => {
    const access = await ports.open(repository, signal);
    const found = await openRegistered(access, {}, signal);
    if (found.kind === 'none') return catalog.remove(repository.id);
    const known = catalog.get(repository.id);
    const before = variantPlan(catalog);
    const { now, place, channels } = await readRepository({ ports, access, signal }, found, known);
    // Before the index says that these revisions are known, so that a failure here is made up for.
    if (known !== undefined && !sameRevisions(known, now)) {
      const open = await access.forge.listOpenPulls(signal);
      await ports.enqueue(open.map((pull) => pullJob(repository, pull)));
    }
    catalog.put(now);
    if (known === undefined && mayBeRestored(ports, repository))
      await ports.enqueue(restorationJob(repository));
    await ports.enqueue(withdrawnJobs(catalog, repository.id));
    await deriveChannelTags(ports, access, { place, channels }, signal);
    await promoteByItself(ports, access, { config: found.config, place, channels }, signal);
    const { packages } = now;
    await offerOperators(ports, access, { config: found.config, place, channels, packages }, signal);
    await prepareVariants(ports);
    await ports.enqueue(jobsAfterIndexing(ports, { found, known, before, now }));
  });
}

/** Comments and descriptions of open pull requests name the newest revision and the next. */
function sameRevisions(
  { revisions: before }: Pick<CatalogRepository, 'revisions'>,
  { revisions: now }: Pick<CatalogRepository, 'revisions'>,
): boolean {
  return JSON.stringify([...before]) === JSON.stringify([...now]);
}

/** What the index holds of a repository. Mistakes in its documents are reported on the way. */
async function readRepository(
  { ports, access, signal }: RepositoryWork,
  { facts, config, head, configuration }: Registered,
  known: CatalogRepository | undefined,
) {
  const { git } = access;
  const { problems } = configuration;
  const map = config.upstreams.map ?? [];
  const packages = await indexPackages({ git, below: config.directory, head, map, known, signal });
  const top = (await git.resolve(`refs/heads/${facts.defaultBranch}`, signal)) ?? head;
  const inventory = config.inventory?.directory;
  const documents = await readDocuments({ git, commit: top, inventory, known, signal });
  await reportDocuments({ access, head: top, problems, documents, signal });
  const urls = [facts.cloneUrl, facts.htmlUrl];
  const host = new URL(facts.cloneUrl).host;
  const unasked = await learnNames(ports, namesIn(packages, documents), host, signal);
  if (unasked > 0) {
    const why = `Kptfiles and documents name more unknown repositories than are looked up at once (${MAX_ASKED}); the others are looked up in later sweeps`;
    ports.log.warn({ repository: facts.fullName, names: unasked }, why);
  }
  const refs = await loadRevisionRefs(git, signal);
  const place = { git, head, refs, registered: config.directory };
  const channels = await allChannels(ports, place, signal);
  const former = formerNames(ports, access.ref.id, urls);
  const now: CatalogRepository = {
    ref: { ...access.ref, owner: facts.owner, name: facts.name },
    directory: config.directory,
    urls,
    ...(former.length > 0 && { formerUrls: former }),
    branch: config.branch,
    commit: head,
    packages,
    revisions: revisionsByDirectory(refs),
    channelFiles: indexedChannels(config.directory, channels),
    visibility: facts.visibility,
    labels: facts.labels ?? {},
    deployment: config.deployment,
    automerge: config.updates.automerge !== 'none',
    ...(config.updates.automergeFrom && { automergeFrom: config.updates.automergeFrom }),
    updates: {
      ...(config.updates.groups && { groups: config.updates.groups }),
      ...(config.updates.priority && { priority: config.updates.priority }),
      follow: config.updates.follow,
      ...(config.updates.policy && { policy: config.updates.policy }),
      ...(config.updates.onWithdrawn && { onWithdrawn: config.updates.onWithdrawn }),
    },
    ...(config.upstreams.map && { upstreamMap: config.upstreams.map }),
    ...documents,
    ...(config.organization && { organization: config.organization }),
    ...(config.sharing && { sharing: config.sharing }),
    ...(config.controlledBy && { controlledBy: config.controlledBy }),
    mistakes: problems.length,
  };
  return { now, place, channels };
}

/** Addresses by which Kptfiles and Porch's `Repository` documents name repositories. */
function namesIn(packages: readonly CatalogPackage[], { documents }: RepositoryDocuments): string[] {
  const locked = packages.flatMap(({ lock }) => (lock === null ? [] : [lock.repo]));
  const written = documents.flatMap((file) =>
    file.documents.flatMap((one) => (one.kind === 'repository' ? [one.repository.repo] : [])),
  );
  return [...locked, ...written];
}

/** Says on the default branch that documents there have mistakes, beside those of the configuration. */
async function reportDocuments({
  access: { forge },
  head,
  problems,
  documents,
  signal,
}: {
  readonly access: RepositoryAccess;
  readonly head: string;
  readonly problems: readonly ConfigProblem[];
  readonly documents: RepositoryDocuments;
  readonly signal: AbortSignal | undefined;
}): Promise<void> {
  const own = documentProblems(documents);
  if (own.length > 0) await forge.putCheck(configCheckAt(head, [...problems, ...own], true), signal);
}
