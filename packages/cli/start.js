#!/usr/bin/env node
// Plain JavaScript, so that an older Node reaches the sentence below instead of a syntax error.
import { keepCompiledCode } from '../../src/compiled-code.js';

// Everything after these lines takes Node's own modules from it: see scripts/build-cli.ts.
if (process.getBuiltinModule === undefined) {
  process.stderr.write(`portico needs Node 20.16, or 22.3 and newer, and this is ${process.version}.\n`);
  process.exit(64);
}
keepCompiledCode();
if (Promise.withResolvers === undefined) await import('./for-node-20.js');
const { main } = await import('../../src/cli.ts');
process.exitCode = await main(process.argv.slice(2));
