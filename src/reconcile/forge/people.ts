/** What somebody may do in a repository. Every write may run twice. */
export interface PeoplePort {
  /** The role alone. */
  permission(login: string, signal?: AbortSignal): Promise<string>;
  /**
   * `role_name` of a user (admin, maintain, write, triage, read or a custom one), 'none' for a stranger, and which account
   * has this login now: null where none has. Asked live.
   */
  member(login: string, signal?: AbortSignal): Promise<{ readonly role: string; readonly id: number | null }>;
  /** True only for an active member. Asked live; a failure throws, so that callers fail closed. */
  teamMember(org: string, team: string, login: string, signal?: AbortSignal): Promise<boolean>;
}
