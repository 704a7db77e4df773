/** What the calls of a piece of work cost of the forge's limits, wherever in it they are made. */
import { AsyncLocalStorage } from 'node:async_hooks';

const counters = new AsyncLocalStorage<{ points: number }>();

/** Counts a call for the work that makes it. */
export function notePoints(points: number): void {
  const counter = counters.getStore();
  if (counter !== undefined) counter.points += points;
}

/** Does the work, and reports its points when it has ended, however it ended. */
export async function countPoints<Result>(
  work: () => Promise<Result>,
  report: (points: number) => void,
): Promise<Result> {
  const counter = { points: 0 };
  try {
    return await counters.run(counter, work);
  } finally {
    report(counter.points);
  }
}
