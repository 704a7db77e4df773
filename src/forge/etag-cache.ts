/** An answer that the forge gave, to be had again for free with a 304. */
interface CachedAnswer {
  readonly etag: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  readonly data: unknown;
}

export interface EtagCache {
  get(key: string): CachedAnswer | undefined;
  set(key: string, answer: CachedAnswer): void;
}

/** Headers and key of one answer, in characters. */
const BESIDE = 2_000;

/** Keeps the most recently used answers, so many characters of them; one of more than a thirtieth of that is not kept. */
export function createEtagCache(maxCharacters = 8 * 1024 * 1024): EtagCache {
  const answers = new Map<string, { readonly answer: CachedAnswer; readonly size: number }>();
  let held = 0;
  const forget = (key: string): void => {
    held -= answers.get(key)?.size ?? 0;
    answers.delete(key);
  };
  return {
    get: (key) => {
      const found = answers.get(key);
      if (found === undefined) return undefined;
      answers.delete(key);
      answers.set(key, found);
      return found.answer;
    },
    set: (key, answer) => {
      forget(key);
      const told = Number(answer.headers['content-length']);
      const size = BESIDE + (told > 0 ? told : JSON.stringify(answer.data ?? null).length);
      if (size > maxCharacters / 30) return;
      answers.set(key, { answer, size });
      held += size;
      for (const oldest of answers.keys()) {
        if (held <= maxCharacters) break;
        forget(oldest);
      }
    },
  };
}
