/** What comes of a changed configuration beside the proposal that changes it: for open proposals, and for other repositories. */
import { counted } from '../../text/counted.ts';
import type { ConfigurationChange } from '../check/configuration-changes.ts';
import type { Ports, RepositoryAccess, RepositoryRef, RepositoryWork } from '../ports.ts';
import { ORGANIZATION_REPOSITORY } from '../repository/organization.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { code, shownValue } from '../text/markdown-blocks.ts';
import { documentEffects } from './document-effects.ts';
import type { ReadConfig } from './proposed-config.ts';

/** Open proposals that are named, and settings that they then need less of. */
const MAX_NAMED = 20;
const MAX_SETTINGS = 5;

/** Settings that decide what an open proposal needs. */
const OF_PROPOSALS = /^(?:publish\.|access\.(?:approve|publish)$|guardrail|exemptions|CODEOWNERS)/;

/** What it does to open proposals and to other repositories, one Markdown paragraph each. */
export async function configurationEffects(
  { ports, access, signal }: RepositoryWork<'catalog', 'forge' | 'ref'>,
  { pull, config }: Pick<ProposalSnapshot, 'pull' | 'config'>,
  { changes, proposed, index, problems }: ReadConfig,
): Promise<readonly string[]> {
  if (problems.length > 0 || proposed === null) return [];
  const open = await openProposalsText(access, { pull, config }, changes, signal);
  const elsewhere = index === null ? [] : documentEffects(index);
  const inherited = changes.length === 0 ? '' : defaultsText(ports, access.ref);
  return [open, inherited, ...elsewhere].filter((text) => text !== '');
}

/** The organization's defaults change what is in effect in all of its repositories; which they are is not told. */
function defaultsText({ catalog }: Pick<Ports, 'catalog'>, { id, owner, name }: RepositoryRef): string {
  if (name !== ORGANIZATION_REPOSITORY) return '';
  const others = catalog
    .all()
    .filter(({ ref }) => ref.id !== id && ref.owner.toLowerCase() === owner.toLowerCase()).length;
  return `These are the defaults of ${counted(others, 'other registered repository', 'other registered repositories')} of ${code(owner)}: each setting that a repository does not set itself changes there, too.`;
}

/** The open proposals that need less than before; '' where they need the same. */
async function openProposalsText(
  { forge }: Pick<RepositoryAccess, 'forge'>,
  { pull, config }: Pick<ProposalSnapshot, 'pull' | 'config'>,
  changes: readonly ConfigurationChange[],
  signal: AbortSignal | undefined,
): Promise<string> {
  const weaker = changes.filter((one) => one.weaker && OF_PROPOSALS.test(one.field));
  if (weaker.length === 0) return '';
  const open = (await forge.listOpenPulls(signal))
    .filter(({ number, baseRef }) => number !== pull.number && baseRef === config.branch)
    .map(({ number }) => number)
    .sort((a, b) => a - b);
  if (open.length === 0) return '';
  const names = open.slice(0, MAX_NAMED).map((number) => `#${number}`);
  const more = open.length > names.length ? ', …' : '';
  const settings = weaker
    .slice(0, MAX_SETTINGS)
    .map(({ field, before, after }) => `${code(field)} ${value(after)} instead of ${value(before)}`);
  const others = weaker.length > settings.length ? ', …' : '';
  return `${counted(open.length, 'open pull request')} (${names.join(', ')}${more}) can then be published with less: ${settings.join(', ')}${others}.`;
}

function value(text: string): string {
  return code(shownValue(text, 60));
}
