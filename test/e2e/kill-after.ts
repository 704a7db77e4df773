/**
 * Loaded into the bot before anything else (`--import`), and by it into its threads: ends the process by SIGKILL the
 * moment something was done for the time `KILL_NUMBER`, counted from when the file `KILL_FILE` is there. `KILL_AFTER`
 * says what: `commit` of a write by the embedded database; `stored`, a webhook became a file and was not acknowledged
 * yet; `taken`, it is in the database and its file is gone. Without a number all are counted, each into a file.
 */
import fs, { existsSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

import { PGlite } from '@electric-sql/pglite';

const what = process.env['KILL_AFTER'] ?? '';
const last = Number(process.env['KILL_NUMBER'] ?? 0);
const file = process.env['KILL_FILE'] ?? '';
const WRITES = /\b(?:INSERT|UPDATE|DELETE)\b/i;
const DELIVERY = /\.delivery$/;
const counts: Record<string, number> = {};

function done(kind: 'commit' | 'stored' | 'taken'): void {
  if (!existsSync(file)) return;
  const count = (counts[kind] = (counts[kind] ?? 0) + 1);
  if (last === 0) writeFileSync(`${file}.${kind}`, String(count));
  else if (kind === what && count === last) process.kill(process.pid, 'SIGKILL');
}

/** Puts a count behind a method of the engine. */
function counting(name: 'query' | 'exec' | 'transaction', writes: (first: unknown) => boolean): void {
  const plain = PGlite.prototype[name] as (...args: unknown[]) => Promise<unknown>;
  Object.defineProperty(PGlite.prototype, name, {
    async value(this: PGlite, ...args: unknown[]) {
      const answer = await Reflect.apply(plain, this, args);
      if (writes(args[0])) done('commit');
      return answer;
    },
  });
}

counting('query', (sql) => WRITES.test(String(sql)));
counting('exec', (sql) => WRITES.test(String(sql)));
counting('transaction', () => true);

const { renameSync, rmSync } = fs;
fs.renameSync = (from, to) => {
  renameSync(from, to);
  if (DELIVERY.test(String(to))) done('stored');
};
fs.rmSync = (place, options) => {
  rmSync(place, options);
  if (DELIVERY.test(String(place))) done('taken');
};
syncBuiltinESMExports();
