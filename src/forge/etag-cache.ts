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

/** Keeps so many answers, the most recently used ones; large ones are not kept. */
export function createEtagCache(maxAnswers = 1_000, maxCharacters = 256 * 1024): EtagCache {
  const answers = new Map<string, CachedAnswer>();
  return {
    get: (key) => {
      const answer = answers.get(key);
      if (answer === undefined) return undefined;
      answers.delete(key);
      answers.set(key, answer);
      return answer;
    },
    set: (key, answer) => {
      answers.delete(key);
      const told = Number(answer.headers['content-length']);
      const size = told > 0 ? told : JSON.stringify(answer.data ?? null).length;
      if (size > maxCharacters) return;
      answers.set(key, answer);
      const [oldest] = answers.keys();
      if (answers.size > maxAnswers && oldest !== undefined) answers.delete(oldest);
    },
  };
}
