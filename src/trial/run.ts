import { PorticoError } from '../error.ts';
import { openStage } from './open-stage.ts';
import type { TrialOptions } from './open-stage.ts';
import { reasonOf } from './rest.ts';
import { notSeen } from './row.ts';
import type { PlayedRow, Row } from './row.ts';
import { PLAYED } from './rows/table.ts';
import type { TrialStage } from './stage.ts';

export interface TrialReport {
  /** By number. */
  readonly rows: readonly PlayedRow[];
  /** What could not be deleted, in words. */
  readonly left: readonly string[];
}

export interface RunOptions extends TrialOptions {
  /** Numbers of the rows to play; absent: all. */
  readonly only?: ReadonlySet<number>;
  readonly onRow?: (row: Row, index: number, of: number) => void;
}

/**
 * Plays the rows and deletes what was made, also where a row fails or the trial is stopped.
 * @throws PorticoError of `openStage`, and whatever stopped the signal
 */
export async function runTrial(options: RunOptions): Promise<TrialReport> {
  const { only, signal, say } = options;
  const { stage, close } = await openStage(options);
  const rows: PlayedRow[] = [];
  let left: readonly string[] = [];
  try {
    const asked = PLAYED.filter(({ number }) => only === undefined || only.has(number));
    for (const [index, row] of asked.entries()) {
      signal.throwIfAborted();
      options.onRow?.(row, index, asked.length);
      rows.push(await played(row, stage));
    }
  } finally {
    say('deleting what was made');
    left = await close();
    for (const one of left) say(`not deleted: ${one}`);
  }
  return { rows: rows.toSorted((one, other) => one.number - other.number), left };
}

async function played(row: Row, stage: TrialStage): Promise<PlayedRow> {
  const { number, belief } = row;
  try {
    const { verdict, seen } = await row.play(stage);
    return { number, belief, verdict, seen: seen.replaceAll(/\s+/g, ' ') };
  } catch (error) {
    stage.signal.throwIfAborted();
    // A step before the question failed, or the network did: it says nothing of what is believed.
    if (!(error instanceof Error)) throw error;
    const why = error instanceof PorticoError ? error.message : `it broke off: ${reasonOf(error)}`;
    return { number, belief, ...notSeen(why.replaceAll(/\s+/g, ' ')) };
  }
}
