import type { ForgeContext } from './context.ts';
import type { GitPerson } from './git-repository.ts';
import type { AccountRecord } from './records.ts';

const NOREPLY = 'users.noreply.localhost';

/** The address that the forge writes into commits for an account: its own, or GitHub's kind of no-reply address. */
export const emailOf = (account: AccountRecord): string =>
  account.email ?? `${account.id}+${account.login}@${NOREPLY}`;

/** An account as author or committer, now. */
export const personOf = (context: ForgeContext, account: AccountRecord): GitPerson => ({
  name: account.name ?? account.login,
  email: emailOf(account),
  date: context.now(),
});

/** Whose commit it is: by the account's address, or its no-reply address. */
export function accountByEmail(context: ForgeContext, email: string): AccountRecord | undefined {
  const number = new RegExp(`^(\\d+)\\+.+@${NOREPLY}$`, 'i').exec(email)?.[1];
  return number === undefined
    ? context.records.accounts.first('email', [email.toLowerCase()])
    : context.records.accounts.get(Number(number));
}
