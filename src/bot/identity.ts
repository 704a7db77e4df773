/** Under which name Portico commits: the account of the App's bot, or one that is configured. */
import { noreplyDomain } from '../config/addresses.ts';
import type { Ports } from '../reconcile/ports.ts';

type Person = Ports['app']['committer'];

export interface BotIdentityOptions {
  readonly app: Omit<Ports['app'], 'committer'>;
  readonly gitUrl: string;
  /** In the place of the bot's account. */
  readonly committer?: Person | undefined;
  /** The forge's number of an account, asked with the token of an installation; null where it is not told. */
  readonly accountId: (installationId: number, login: string, signal?: AbortSignal) => Promise<number | null>;
  readonly log: Pick<Ports['log'], 'warn'>;
  readonly now: () => number;
}

export interface BotIdentity {
  /** `committer` becomes right once the number is known. */
  readonly app: Ports['app'];
  /** Asks once for the number of the bot's account; where nobody tells it, again a while later. */
  learn(installationId: number, signal?: AbortSignal): Promise<void>;
}

const AGAIN_MS = 600_000;

/**
 * The forge links a commit to an account by the number in its address, which is the number of the bot's user and not of the
 * App (https://docs.github.com/en/account-and-profile/reference/email-addresses-reference; actions/create-github-app-token
 * asks `/users/SLUG[bot]` for it). Until it is known the address has none.
 */
export function createBotIdentity(options: BotIdentityOptions): BotIdentity {
  const { app, log, now } = options;
  const domain = noreplyDomain(options.gitUrl);
  let id: number | null = null;
  let asked: { readonly at: number; readonly answer: Promise<void> } | undefined;

  const ask = async (installationId: number, signal?: AbortSignal): Promise<void> => {
    try {
      id = await options.accountId(installationId, app.botLogin, signal);
    } catch (err) {
      log.warn({ err }, 'the number of the bot account is not known; its commits are not linked to it');
    }
  };

  return {
    app: {
      ...app,
      get committer(): Person {
        if (options.committer !== undefined) return options.committer;
        const number = id === null ? '' : `${id}+`;
        return { name: app.botLogin, email: `${number}${app.botLogin}@${domain}` };
      },
    },
    async learn(installationId, signal) {
      if (id !== null || options.committer !== undefined) return;
      if (asked === undefined || now() - asked.at > AGAIN_MS) {
        asked = { at: now(), answer: ask(installationId, signal) };
      }
      await asked.answer;
    },
  };
}
