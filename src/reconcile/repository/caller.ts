import type { Account } from '../../command/account.ts';
import type { Caller } from '../../command/command-state.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { PorticoError } from '../../error.ts';
import type { RepositoryAccess } from '../ports.ts';

/**
 * Who somebody is in this repository at this moment, asked of the forge. Where the forge does not answer, the role is
 * undefined and the teams are empty: that grants nothing.
 */
export async function loadCaller(
  { forge, ref }: Pick<RepositoryAccess, 'forge' | 'ref'>,
  config: RepositoryConfig,
  who: Account & { readonly isAuthor: boolean; readonly isBot: boolean },
  signal?: AbortSignal,
): Promise<Caller> {
  if (who.isBot) return { ...who, role: 'none', teams: [] };
  const member = await answered(forge.member(who.login, signal));
  // The rights are those of whoever has the login now, who may be somebody else: then nobody knows this one's.
  if (typeof member?.id === 'number' && who.id !== undefined && member.id !== who.id) {
    return { ...who, role: undefined, teams: [] };
  }
  const teams: string[] = [];
  for (const team of teamsNamed(config)) {
    const [org, slug] = team.includes('/') ? team.split('/', 2) : [ref.owner, team];
    const isIn = await answered(forge.teamMember(org ?? ref.owner, slug ?? team, who.login, signal));
    if (isIn === true) teams.push(team);
  }
  return { ...who, ...(typeof member?.id === 'number' && { id: member.id }), role: member?.role, teams };
}

function teamsNamed(config: RepositoryConfig): Set<string> {
  const { requireApprovalBy = [], weakeningApprovalBy = [] } = config.publish;
  const grants = [...[...config.access.values()].flat(), ...requireApprovalBy, ...weakeningApprovalBy];
  return new Set(grants.flatMap((grant) => (grant.kind === 'team' ? [grant.team] : [])));
}

/** A refused or failed question is no answer; only a limit is passed on, because asking later gives one. */
export async function answered<Value>(question: Promise<Value>): Promise<Value | undefined> {
  try {
    return await question;
  } catch (error) {
    if (error instanceof PorticoError && error.code !== 'RATE_LIMITED') return undefined;
    throw error;
  }
}
