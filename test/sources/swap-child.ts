/** Swaps a directory to a new state and ends itself without a word before the n-th call that moves or removes a file. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [directory = '', killAt = '0'] = process.argv.slice(2);

let calls = 0;
for (const name of [
  'renameSync',
  'unlinkSync',
  'mkdirSync',
  'rmdirSync',
  'rmSync',
  'writeFileSync',
] as const) {
  const real = fs[name] as (...args: unknown[]) => unknown;
  Object.assign(fs, {
    [name]: (...args: unknown[]) => {
      if (calls === Number(killAt)) process.kill(process.pid, 'SIGKILL');
      calls += 1;
      return real(...args);
    },
  });
}
syncBuiltinESMExports();

const { NEW, OLD, filesOf } = await import('./swap-states.ts');
const { swap } = await import('../../src/cli/sources/swap.ts');
swap(directory, filesOf(OLD), filesOf(NEW));
