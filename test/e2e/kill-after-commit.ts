/**
 * Loaded into the bot before anything else (`--import`): ends the process by SIGKILL the moment its embedded database
 * has committed the write with the number `KILL_AFTER_COMMIT`, counted from when the file `KILL_AFTER_FILE` is there.
 * Without a number it only counts, into that file's name with `.count`.
 */
import { existsSync, writeFileSync } from 'node:fs';

import { PGlite } from '@electric-sql/pglite';

const last = Number(process.env['KILL_AFTER_COMMIT'] ?? 0);
const file = process.env['KILL_AFTER_FILE'] ?? '';
const WRITES = /\b(?:INSERT|UPDATE|DELETE)\b/i;
let commits = 0;

function committed(): void {
  if (!existsSync(file)) return;
  commits += 1;
  if (last === 0) writeFileSync(`${file}.count`, String(commits));
  else if (commits === last) process.kill(process.pid, 'SIGKILL');
}

/** Puts a count behind a method of the engine. */
function counting(name: 'query' | 'exec' | 'transaction', writes: (first: unknown) => boolean): void {
  const plain = PGlite.prototype[name] as (...args: unknown[]) => Promise<unknown>;
  Object.defineProperty(PGlite.prototype, name, {
    async value(this: PGlite, ...args: unknown[]) {
      const answer = await Reflect.apply(plain, this, args);
      if (writes(args[0])) committed();
      return answer;
    },
  });
}

counting('query', (sql) => WRITES.test(String(sql)));
counting('exec', (sql) => WRITES.test(String(sql)));
counting('transaction', () => true);
