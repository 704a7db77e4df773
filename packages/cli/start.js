#!/usr/bin/env node
// Plain JavaScript, so that an older Node reaches the sentence below instead of a syntax error.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 16)) {
  process.stderr.write(`portico needs Node 20.16 or newer, and this is ${process.version}.\n`);
  process.exit(64);
}
await import('./newer-javascript.js');
const { keepCompiledCode } = await import('../../src/compiled-code.js');
await keepCompiledCode();
const { main } = await import('../../src/cli.ts');
process.exitCode = await main(process.argv.slice(2));
