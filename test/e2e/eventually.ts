import { setTimeout as pause } from 'node:timers/promises';

/** Asks again and again until there is an answer; fails with the last reason when there is none for too long. */
export async function eventually<Value>(
  what: string,
  ask: () => Promise<Value | undefined | null | false>,
  seconds = 90,
): Promise<Value> {
  const end = Date.now() + seconds * 1000;
  let last: unknown;
  while (Date.now() < end) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== null && answer !== false) return answer;
    } catch (error) {
      last = error;
    }
    await pause(100);
  }
  throw new Error(`${what}: not seen in ${seconds} s`, { cause: last });
}
