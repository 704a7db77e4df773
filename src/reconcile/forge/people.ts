/** What somebody may do in a repository. Every write may run twice. */
export interface PeoplePort {
  permission(login: string, signal?: AbortSignal): Promise<string>;
  /** The role, and which account has this login now; null where none has. */
  member(login: string, signal?: AbortSignal): Promise<{ readonly role: string; readonly id: number | null }>;
  teamMember(org: string, team: string, login: string, signal?: AbortSignal): Promise<boolean>;
}
