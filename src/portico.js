#!/usr/bin/env node
// Plain JavaScript, so that an older Node reaches the sentence below instead of a syntax error.
import { keepCompiledCode } from './compiled-code.js';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 12)) {
  process.stderr.write(
    `portico needs Node 24.12 or newer, and this is ${process.version}. Run it with npm, which brings the right one: npm run portico -- --help\n`,
  );
  process.exit(64);
}
keepCompiledCode();
const { main } = await import('./cli.ts');
process.exitCode = await main(process.argv.slice(2));
