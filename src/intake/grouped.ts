import { setTimeout as pause } from 'node:timers/promises';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly settled: PromiseWithResolvers<Result>;
}

/**
 * One call for many: what is asked while a call is under way is answered by the next call together, in the order in
 * which it was asked; one call at a time, for `most` items. Where the database refuses what one of several says, each
 * is tried alone, so that one cannot fail the others.
 * @param work gives as many results as it gets items, in their order
 * @param gatherMs how long the first of a group waits for others; 0 when absent
 */
export function grouped<Item, Result>(
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
  most: number,
  gatherMs = 0,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    // A turn later, so that what is asked in the same turn goes together.
    await (gatherMs === 0 ? Promise.resolve() : pause(gatherMs));
    while (waiting.length > 0) {
      const group = waiting.splice(0, most);
      if (!(await attempt(group, group.length === 1))) for (const one of group) await attempt([one], true);
    }
    running = undefined;
  }

  /** False: each has to be tried alone. */
  async function attempt(group: readonly Waiting<Item, Result>[], alone: boolean): Promise<boolean> {
    try {
      const results = await work(group.map(({ item }) => item));
      for (const [at, { settled }] of group.entries()) settled.resolve(results[at] as Result);
    } catch (error) {
      if (!alone && isAboutOne(error)) return false;
      for (const { settled } of group) settled.reject(error);
    }
    return true;
  }

  return (item) => {
    const settled = Promise.withResolvers<Result>();
    waiting.push({ item, settled });
    running ??= run();
    return settled.promise;
  };
}

/** PostgreSQL's classes for data that it does not take, rules that data breaks, and its limits. */
function isAboutOne(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'string' && /^(?:22|23|54)[0-9A-Z]{3}$/.test(code);
}
