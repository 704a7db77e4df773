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

const { query, exec, transaction } = PGlite.prototype;

PGlite.prototype.query = async function counted(this: PGlite, ...args) {
  const answer = await query.apply(this, args);
  if (WRITES.test(args[0])) committed();
  return answer as never;
};
PGlite.prototype.exec = async function counted(this: PGlite, ...args) {
  const answer = await exec.apply(this, args);
  if (WRITES.test(args[0])) committed();
  return answer;
};
PGlite.prototype.transaction = async function counted(this: PGlite, ...args) {
  const answer = await transaction.apply(this, args);
  committed();
  return answer as never;
};
