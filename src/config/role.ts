/** The forge's repository roles, lowest first. */
export const ROLES = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;

export type Role = (typeof ROLES)[number];

/** Reads the forge's `role_name`; undefined for a custom role or anything unknown, which then grants nothing. */
export function parseRole(name: string | undefined): Role | undefined {
  return ROLES.find((role) => role === name);
}

/** Whether a role includes another one: none < read < triage < write < maintain < admin. */
export function atLeast(role: Role, minimum: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(minimum);
}
