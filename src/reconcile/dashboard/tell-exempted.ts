/** Tells whoever answers for an exemption before it ends, and when it has: nobody is to learn that from a failing check. */
import type { CatalogRepository } from '../../catalog/catalog.ts';
import { SOON_DAYS } from '../../config/exemptions.ts';
import type { Ports, RepositoryAccess } from '../ports.ts';
import { tellPeople, type News } from '../repository/tell-people.ts';
import { code, foreignSentence } from '../text/markdown-blocks.ts';
import type { StandingExemption } from './input.ts';

const ISSUE = {
  title: 'Portico exemptions',
  body: `Portico writes here ${SOON_DAYS} days before an exemption from a guardrail ends, and when it has ended. The dashboard lists all of them.`,
};

/** Each of them once for a day on which it ends: one that is renewed is told of again. */
export async function tellExempted(
  ports: Ports,
  access: RepositoryAccess,
  {
    repository,
    exemptions,
  }: {
    readonly repository: Pick<CatalogRepository, 'ref' | 'visibility'>;
    readonly exemptions: readonly StandingExemption[];
  },
  signal?: AbortSignal,
): Promise<void> {
  const news = exemptions.flatMap((one) => newsOf(one) ?? []);
  if (news.length === 0) return;
  await ports.runExclusive(`exemptions ${repository.ref.id}`, () =>
    tellPeople({ ports, access, signal }, repository, ISSUE, news),
  );
}

/** Pure: what is told of an exemption; undefined where nothing is. */
export function newsOf({ exemption, state }: StandingExemption): News | undefined {
  if (state !== 'ends-soon' && state !== 'expired') return undefined;
  const { name, file, guardrails, packages, until, owner, why } = exemption;
  const [heading, when] =
    state === 'expired'
      ? [`The exemption ${code(name)} ended with ${until}, and counts no more.`, 'Its']
      : [`The exemption ${code(name)} ends with ${until}.`, 'Then its'];
  const fix = `${when} guardrails judge these packages again. Fix what they find, and remove ${code(file)}; or propose a later ${code('until')} there, which is reviewed like any change.`;
  const about = `It is about ${guardrails.map(code).join(', ')} in ${packages.map(code).join(', ')}, because: ${foreignSentence(why)}`;
  return {
    key: `${name} ${until} ${state}`,
    kind: 'exemption',
    people: [owner],
    text: [`**${heading}** ${about}`, fix].join('\n\n'),
  };
}
