/** An organisation's defaults under a repository's own configuration. */
import type { RepositorySpec } from './repository-schema.ts';

type Guardrails = NonNullable<RepositorySpec['guardrails']>;

/**
 * Field by field, the repository wins. Guardrails are joined by name: the organisation's come first, and one of the
 * same name in the repository takes its place. `access` is joined by command. Of `sharing`, only `within` is inherited by
 * a repository that has lists of its own. The registered branch, the directory,
 * the inventory, the registry and the keeping of the organisation's dashboard belong to a repository alone and are never inherited.
 */
export function mergeDefaults(own: RepositorySpec, organization: RepositorySpec): RepositorySpec {
  const {
    branch: _branch,
    directory: _directory,
    inventory: _inventory,
    // Packages of two repositories would take each other's names in it.
    oci: _oci,
    ...inherited
  } = organization;
  const merged: RepositorySpec = { ...inherited, ...own };
  if (organization.publish !== undefined) merged.publish = { ...organization.publish, ...own.publish };
  if (organization.updates !== undefined) merged.updates = { ...organization.updates, ...own.updates };
  const { dashboard: _dashboard, ...organizational } = inherited.organization ?? {};
  if (organization.organization !== undefined) {
    merged.organization = { ...organizational, ...own.organization };
  }
  const { within } = organization.sharing ?? {};
  if (own.sharing !== undefined && within !== undefined) merged.sharing = { within, ...own.sharing };
  if (organization.access !== undefined) merged.access = { ...organization.access, ...own.access };
  if (organization.guardrails !== undefined) {
    merged.guardrails = mergeGuardrails(own.guardrails ?? {}, organization.guardrails);
  }
  return merged;
}

function mergeGuardrails(own: Guardrails, organization: Guardrails): Guardrails {
  const names = new Set([...(own.mutators ?? []), ...(own.validators ?? [])].map(({ name }) => name));
  const kept = <Entry extends { name: string }>(theirs: Entry[] = [], ours: Entry[] = []): Entry[] => {
    const replaced = theirs.map((entry) => ours.find(({ name }) => name === entry.name) ?? entry);
    const inherited = new Set(theirs.map(({ name }) => name));
    return [
      // An entry whose name the repository uses in the other list is replaced by that one.
      ...replaced.filter((entry) => ours.includes(entry) || !names.has(entry.name)),
      ...ours.filter(({ name }) => !inherited.has(name)),
    ];
  };
  return {
    mutators: kept(organization.mutators, own.mutators),
    validators: kept(organization.validators, own.validators),
  };
}
