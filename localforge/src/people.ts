import type { ForgeContext } from './context.ts';
import type { GitPerson } from './git-objects.ts';
import type { AccountRecord } from './records.ts';

/** `users.noreply.` and the host, as on GitHub Enterprise Server. */
const noreply = (context: ForgeContext): string => `users.noreply.${new URL(context.urls.web).hostname}`;

/** The address that the forge writes into commits for an account: its own, or GitHub's kind of no-reply address. */
export const emailOf = (context: ForgeContext, account: AccountRecord): string =>
  account.email ?? `${account.id}+${account.login}@${noreply(context)}`;

/** An account as author or committer, now. */
export const personOf = (context: ForgeContext, account: AccountRecord): GitPerson => ({
  name: account.name ?? account.login,
  email: emailOf(context, account),
  date: context.now(),
});

/** Whose commit it is: by the account's address, or its no-reply address. */
export function accountByEmail(context: ForgeContext, email: string): AccountRecord | undefined {
  const [person = '', domain = ''] = email.toLowerCase().split('@');
  const number = domain === noreply(context) ? /^(\d+)\+./.exec(person)?.[1] : undefined;
  return number === undefined
    ? context.records.accounts.first('email', [email.toLowerCase()])
    : context.records.accounts.get(Number(number));
}
