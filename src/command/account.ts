/** Whose something is. A login can be given up, and then anybody may take it; the account's number stays. */
export interface Account {
  readonly login: string;
  /** The forge's number of the account; absent where nobody recorded it or the forge names nobody. */
  readonly id?: number | undefined;
}

/** Compared by number where both have one, by login (without case) otherwise. */
export function isSameAccount(one: Account, other: Account): boolean {
  if (one.id !== undefined && other.id !== undefined) return one.id === other.id;
  return one.login.toLowerCase() === other.login.toLowerCase();
}
