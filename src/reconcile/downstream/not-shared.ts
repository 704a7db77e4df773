/** Pure: what is said where nothing comes from an upstream, the same whether it is not there or may not be known here. */
import { repositoryPlace } from '../../catalog/repository-place.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { isNamed, type Shared } from '../repository/visibility.ts';
import { withheld, type Withheld } from './update-target.ts';

/**
 * Why nothing comes from the repository that a lock names; without one, from that of a variant. It never names the other
 * repository: what this one's own files say of it is all that may be known here.
 */
export function nothingComes(
  { facts, config }: Shared & { readonly config: Pick<RepositoryConfig, 'updates'> },
  lockedTo?: string,
): Withheld {
  return lockedTo === undefined || isExpected({ facts, config }, lockedTo)
    ? withheld(
        'blocked-visibility',
        `Updates from its upstream are blocked: ${NOT_HERE}. ${howToShare(facts.fullName)}`,
      )
    : withheld(
        config.updates.follow.kind === 'none' ? 'not-followed' : 'upstream-unknown',
        "The package's upstream is not in a repository that has Portico installed and shares with this one. If it has moved, name its new address in spec.upstreams.map; to follow it where it is, list it in spec.upstreams.allow; to follow another one, use `/portico rebase <upstream>`.",
      );
}

/** Of one owner, or named by the configuration: from anywhere else most packages are only copied once. */
export function isExpected({ facts, config }: Shared, lockedTo: string): boolean {
  const [host, owner = '', name = ''] = repositoryPlace(lockedTo).split('/');
  if (host !== new URL(facts.cloneUrl).host.toLowerCase()) return false;
  return owner === facts.owner.toLowerCase() || isNamed(config.sharing?.from, { owner, name });
}

/** What is so of a repository that is named here and that nothing is told of. */
const NOT_HERE = 'no such repository is registered with Portico and shares with this one';

/** How two repositories come to share. */
export function howToShare(fullName: string): string {
  return `If it is private, both configurations must agree: set \`sharing: { to: [${fullName}] }\` there and \`sharing: { from: […] }\` with its name here, or \`sharing: { within: organization }\` in the defaults of the organisation.`;
}
