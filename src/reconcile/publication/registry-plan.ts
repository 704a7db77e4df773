/** Pure: which artefacts a published revision has in a registry, and which tags lead to them. */
import { matchesGlob } from '../../config/glob.ts';
import type { OciConfig } from '../../config/oci-schema.ts';
import { PorticoError } from '../../error.ts';

export interface PlannedArtifact {
  /** `ghcr.io/acme/packages/web` */
  readonly repository: string;
  /** Only what is applied. */
  readonly rendered: boolean;
}

/** Names of repositories in registries, as the distribution specification has them. */
const PART = /^[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
/** Characters of a repository's name that registries take. */
const MAX_LENGTH = 255;

/** The artefacts of a package; none where the configuration does not name it. Throws `REGISTRY_NAME`. */
export function plannedArtifacts(oci: OciConfig | undefined, path: string): readonly PlannedArtifact[] {
  if (oci === undefined || !matchesGlob(path, oci.packages)) return [];
  const parts = path === '.' ? [] : path.split('/');
  const repository = [oci.registry, ...parts].join('/');
  const odd = parts.find((part) => !PART.test(part));
  if (odd !== undefined || repository.length > MAX_LENGTH) {
    const why =
      odd === undefined ? `has more than ${MAX_LENGTH} characters` : `contains ${JSON.stringify(odd)}`;
    throw new PorticoError('REGISTRY_NAME', `${repository} cannot be a repository in a registry: it ${why}`, {
      blame: 'user',
      hint: 'Registry names are lower-case letters and digits, separated by . _ or -. List the packages to push in `spec.oci.packages`.',
    });
  }
  const whole = { repository, rendered: false };
  return oci.rendered ? [whole, { repository: `${repository}/rendered`, rendered: true }] : [whole];
}

/** A revision as a tag: registries have no `+`. */
export function revisionTagOf(revision: string): string {
  return revision.replaceAll('+', '_');
}

/** The tags of a revision: its own, which stays, and those of the channels that lead to it now, which move. */
export function registryTags(
  revision: string,
  channels: ReadonlyMap<string, string>,
): { readonly fixed: readonly string[]; readonly moving: readonly string[] } {
  const moving = [...channels]
    .filter(([name, to]) => to === revision && TAG.test(name))
    .map(([name]) => name);
  return { fixed: [revisionTagOf(revision)], moving: moving.sort() };
}

/** An artefact as a tag's trailers name it. */
export function artifactName(repository: string, digest: string): string {
  return `${repository}@${digest}`;
}

/** The digest that a revision's trailers give to the artefact in a repository; undefined where they name none there. */
export function digestIn(artifacts: readonly string[], repository: string): string | undefined {
  const start = artifactName(repository, '');
  return artifacts.find((name) => name.startsWith(start))?.slice(start.length);
}
