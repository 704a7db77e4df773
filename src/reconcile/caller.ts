import type { Caller } from '../command/command-state.ts';
import type { RepositoryConfig } from '../config/repository-config.ts';
import { PorticoError } from '../error.ts';
import type { Access } from './ports.ts';

/**
 * Who somebody is in this repository at this moment, asked of the forge. Where the forge does not answer, the role is
 * undefined and the teams are empty: that grants nothing.
 */
export async function loadCaller(
  { forge, ref }: Pick<Access, 'forge' | 'ref'>,
  config: RepositoryConfig,
  who: { readonly login: string; readonly isAuthor: boolean; readonly isBot: boolean },
  signal?: AbortSignal,
): Promise<Caller> {
  if (who.isBot) return { ...who, role: 'none', teams: [] };
  const role = await answered(forge.permission(who.login, signal));
  const teams: string[] = [];
  for (const team of teamsNamed(config)) {
    const [org, slug] = team.includes('/') ? team.split('/', 2) : [ref.owner, team];
    const member = await answered(forge.teamMember(org ?? ref.owner, slug ?? team, who.login, signal));
    if (member === true) teams.push(team);
  }
  return { ...who, role, teams };
}

function teamsNamed(config: RepositoryConfig): Set<string> {
  const grants = [...[...config.access.values()].flat(), ...(config.publish.requireApprovalBy ?? [])];
  return new Set(grants.flatMap((grant) => (grant.kind === 'team' ? [grant.team] : [])));
}

/** A refused or failed question is no answer; only a limit is passed on, because asking later gives one. */
async function answered<Value>(question: Promise<Value>): Promise<Value | undefined> {
  try {
    return await question;
  } catch (error) {
    if (error instanceof PorticoError && error.code !== 'RATE_LIMITED') return undefined;
    throw error;
  }
}
