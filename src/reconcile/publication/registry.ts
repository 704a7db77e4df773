/**
 * What is published stands in the registry that the configuration names, too. That is derived: the tags of revisions say
 * which artefacts they have, the tags of channels where these lead, and the registry is made to say the same. So a crash
 * between tag and push, and a registry that was down, repair themselves.
 */

import type { OciConfig } from '../../config/oci-schema.ts';
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import { DONE, nothing, type Reconciler } from '../answer.ts';
import { REGISTRY_CHECK } from '../check-names.ts';
import { registryCheck } from '../check/registry-check.ts';
import type { RepositoryFacts } from '../forge/repository.ts';
import type { PackageDir } from '../git-port.ts';
import type { Ports, RepositoryAccess, RepositoryRef } from '../ports.ts';
import type { Registries, RegistryPlace } from '../registry-port.ts';
import {
  channelsByDirectory,
  loadRevisionRefs,
  taggedRevisions,
  tagOf,
  type RevisionRefs,
} from '../repository/package-revisions.ts';
import { rootPackages } from '../repository/proposal-snapshot.ts';
import { openRegistered } from '../repository/registered.ts';
import { provenanceOf } from '../repository/tag-provenance.ts';
import { catchUserError } from '../text/why-refused.ts';
import { publishedArtifact } from './published-artifact.ts';
import {
  digestIn,
  plannedArtifacts,
  registryTags,
  revisionTagOf,
  type PlannedArtifact,
} from './registry-plan.ts';

/** So many revisions of a package are looked at that the registry may lack. */
const MAX_BEHIND = 50;

/** Where one artefact of a package stands, and what leads to it. */
interface Look {
  readonly access: RepositoryAccess;
  readonly facts: RepositoryFacts;
  readonly registries: Registries;
  readonly place: RegistryPlace;
  readonly planned: PlannedArtifact;
  readonly directory: RepositoryDirectory;
  readonly refs: RevisionRefs;
  readonly channels: ReadonlyMap<string, string>;
}

/** What one process has seen to be so it does not ask for again. */
export function createRegistryReconciler(ports: Ports): Reconciler<'registry'> {
  const seen = new Map<string, string>();
  return async ({ repository }, signal) => {
    const { registries } = ports;
    const access = await ports.open(repository, signal);
    const found = await openRegistered(access, {}, signal);
    if (found.kind === 'none') return nothing(found.reason);
    const { facts, config, head } = found;
    const { oci } = config;
    if (oci === undefined || registries === undefined) return nothing('not-asked-for');
    const refs = await loadRevisionRefs(access.git, signal);
    const allChannels = channelsByDirectory(refs);
    const refused = new Map<string, string>();
    let pushed = false;
    for (const found of await rootPackages(access, head, config.directory, signal)) {
      const directory = found.directory;
      const channels = allChannels.get(directory) ?? new Map<string, string>();
      const key = `${repository.id} ${directory}`;
      const state = stateOf(oci, refs, found, channels);
      if (seen.get(key) === state || taggedRevisions(refs, found.directory).length === 0) continue;
      const path = found.path;
      // What is wrong with one package holds up no other.
      await catchUserError(
        async () => {
          for (const planned of plannedArtifacts(oci, path)) {
            const place = placeOf(planned, repository, oci);
            const look = { access, facts, registries, place, planned, directory, refs, channels };
            const why = await pushMissing(ports, look, signal);
            if (why === undefined) pushed = true;
            else refused.set(path, why);
          }
          if (!refused.has(path)) seen.set(key, state);
        },
        (why) => void refused.set(path, why),
      );
    }
    if (refused.size > 0) await access.forge.putCheck(registryCheck(head, refused), signal);
    else if (pushed) await clearCheck(access, head, signal);
    return DONE;
  };
}

/** Everything that decides about the tags of one package in the registry. */
function stateOf(
  oci: OciConfig,
  refs: RevisionRefs,
  { directory }: PackageDir,
  channels: ReadonlyMap<string, string>,
): string {
  const tags = taggedRevisions(refs, directory)
    .slice(-MAX_BEHIND)
    .map(({ name }) => tagOf(refs, directory, name)?.oid);
  return JSON.stringify([oci, tags, [...channels]]);
}

function placeOf({ repository }: PlannedArtifact, { owner }: RepositoryRef, oci: OciConfig): RegistryPlace {
  return { repository, owner, ...(oci.credentials !== undefined && { credentials: oci.credentials }) };
}

/** A revision whose tag says that it has this artefact. */
interface Behind {
  readonly name: string;
  readonly commit: string;
  readonly digest: string;
}

/** Pushes what the registry lacks, the oldest first. Returns why something cannot be pushed, as Markdown. */
async function pushMissing(
  ports: Ports,
  look: Look,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  for (const one of (await behind(look, signal)).toReversed()) {
    const { access, facts, registries, place, planned, directory, channels } = look;
    const state = { commit: one.commit, directory, revision: one.name, rendered: planned.rendered };
    const content = await publishedArtifact({ ports, git: access.git, facts, state, signal });
    const made = await registries.digest(content);
    // What the tag promised is what is pushed, or nothing.
    if (made !== one.digest) return otherThan(one, place, made);
    const outcome = await registries.push(place, content, registryTags(one.name, channels), signal);
    if ('refused' in outcome) return otherThan(one, place, outcome.refused.held);
    ports.log.info(
      { repository: facts.fullName, to: place.repository, digest: outcome.digest, tags: outcome.tags },
      'pushed to the registry',
    );
  }
  return undefined;
}

/**
 * Revisions that the registry lacks or whose channels it has elsewhere, the newest first. Behind a revision that it has
 * stand only those that it had before, since the oldest is pushed first.
 */
async function behind(look: Look, signal: AbortSignal | undefined): Promise<readonly Behind[]> {
  const { access, registries, place, directory, refs, channels } = look;
  const found: Behind[] = [];
  let reached = false;
  for (const { name } of taggedRevisions(refs, directory).slice(-MAX_BEHIND).toReversed()) {
    const { moving } = registryTags(name, channels);
    if (reached && moving.length === 0) continue;
    const provenance = await provenanceOf({ git: access.git, refs, directory, revision: name, signal });
    const digest = digestIn(provenance?.artifacts ?? [], place.repository);
    const commit = tagOf(refs, directory, name)?.commit;
    if (digest === undefined || commit === undefined) continue;
    const held = await registries.resolve(place, revisionTagOf(name), signal);
    const elsewhere: string[] = [];
    for (const tag of moving) {
      if ((await registries.resolve(place, tag, signal)) !== digest) elsewhere.push(tag);
    }
    if (held !== digest || elsewhere.length > 0) found.push({ name, commit, digest });
    if (held !== undefined) reached = true;
  }
  return found;
}

function otherThan({ name, digest }: Behind, { repository }: RegistryPlace, other: string): string {
  return `\`${repository}:${revisionTagOf(name)}\` should be \`${digest}\`, as the tag of the revision says, but is \`${other}\`. Nothing was changed there, because a published revision never changes. If the registry holds something else by mistake, delete its tag.`;
}

async function clearCheck(
  { forge }: RepositoryAccess,
  head: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const flags = (await forge.listChecks(head, signal)).filter(({ name }) => name === REGISTRY_CHECK);
  if (flags.some(({ conclusion }) => conclusion !== 'success')) {
    await forge.putCheck(registryCheck(head, new Map()), signal);
  }
}
