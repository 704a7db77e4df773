/**
 * What a caller may see: the forge is asked with the caller's own token, so that the API shows nobody more than the forge does.
 * The answer is kept for a minute. A repository that may not be read and one that is not there are asked for, and answered, alike.
 */
import { createHmac, randomBytes } from 'node:crypto';

import { fullName } from '../catalog/catalog.ts';
import type { CatalogRepository } from '../catalog/catalog.ts';
import { PorticoError } from '../error.ts';
import { keepNewest } from '../reconcile/text/keep-newest.ts';

/**
 * Asks the forge as the bearer of a token which of these repositories (`owner/name`) it may read the contents of: the name as asked → its number.
 * Throws PorticoError FORGE_AUTH where the token is none, and others where the forge cannot tell.
 */
export type AskReadable = (
  token: string,
  names: readonly string[],
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, number>>;

export interface Sight {
  /** Which of these repositories the caller may read; of none, only whether the forge takes the token. Throws what `AskReadable` throws. */
  sees(repositories: readonly Named[], signal: AbortSignal): Promise<ReadonlySet<number>>;
  /** Names nobody; the same for one token as long as the process lives. */
  readonly caller: string;
  /** What the forge said of the token last, if it is not long ago. */
  known(): 'accepted' | 'refused' | undefined;
  /** The forge has accepted the token within a day, and has not refused it since. */
  wasAccepted(): boolean;
}

type Named = Pick<CatalogRepository, 'ref'>;

/** How long an answer of the forge is believed, in milliseconds: as long, a right that was taken away still counts. */
const BELIEVED_MS = 60_000;
/** Answers that are kept, of all callers: some 100 bytes each. */
const MAX_ANSWERS = 100_000;
/** Tokens of which is remembered what the forge said, and as many that it has accepted: those that it refused take the place of none of these. */
const MAX_TOKENS = 10_000;
/** So long whoever had an accepted token is no stranger, in milliseconds. */
const REMEMBERED_MS = 86_400_000;
/** Questions of one request that are asked at once. */
const AT_ONCE = 4;
/** Repositories of one question: the forge answers a query of GraphQL within ten seconds. */
export const MAX_ASKED = 100;

/** For the token of one request each. Tokens are never kept: what is remembered is keyed with a digest under a key of this process. */
export function createSights(askForge: AskReadable, now: () => number): (token: string) => Sight {
  const key = randomBytes(32);
  const answers = new Map<string, { readonly id: number | undefined; readonly at: number }>();
  const tokens = new Map<string, { readonly said: 'accepted' | 'refused'; readonly at: number }>();
  const accepted = new Map<string, number>();

  return (token) => {
    const caller = createHmac('sha256', key).update(token).digest('base64url').slice(0, 22);
    const keyOf = (name: string): string => `${caller} ${name}`;
    const known = (): 'accepted' | 'refused' | undefined => {
      const last = tokens.get(caller);
      return isRecent(last, now()) ? last?.said : undefined;
    };
    async function ask(names: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
      const at = now();
      try {
        const readable = await askForge(token, names, signal);
        keepNewest(tokens, caller, { said: 'accepted', at }, MAX_TOKENS);
        keepNewest(accepted, caller, at, MAX_TOKENS);
        return readable;
      } catch (error) {
        if (error instanceof PorticoError && error.code === 'FORGE_AUTH') {
          keepNewest(tokens, caller, { said: 'refused', at }, MAX_TOKENS);
          accepted.delete(caller);
        }
        throw error;
      }
    }
    return {
      caller,
      known,
      wasAccepted() {
        const at = accepted.get(caller);
        return at !== undefined && now() - at < REMEMBERED_MS;
      },
      async sees(repositories, signal) {
        if (known() === 'refused')
          throw new PorticoError('FORGE_AUTH', 'the forge has just refused the token', { blame: 'user' });
        if (repositories.length === 0 && known() === undefined) await ask([], signal);
        const at = now();
        const found = new Map<string, number | undefined>();
        const names = new Set(repositories.map(fullName));
        for (const name of names) {
          const last = answers.get(keyOf(name));
          if (isRecent(last, at)) found.set(name, last?.id);
        }
        const open = [...names].filter((name) => !found.has(name));
        const parts: string[][] = [];
        for (let from = 0; from < open.length; from += MAX_ASKED)
          parts.push(open.slice(from, from + MAX_ASKED));
        for (let from = 0; from < parts.length; from += AT_ONCE) {
          await Promise.all(
            parts.slice(from, from + AT_ONCE).map(async (part) => {
              const readable = await ask(part, signal);
              for (const name of part) {
                const id = readable.get(name);
                found.set(name, id);
                keepNewest(answers, keyOf(name), { id, at }, MAX_ANSWERS);
              }
            }),
          );
        }
        // Another repository may have taken the name.
        const seen = repositories.filter((one) => found.get(fullName(one)) === one.ref.id);
        return new Set(seen.map(({ ref }) => ref.id));
      },
    };
  };
}

function isRecent(known: { readonly at: number } | undefined, at: number): boolean {
  return known !== undefined && at - known.at < BELIEVED_MS && at >= known.at;
}
