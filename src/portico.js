#!/usr/bin/env node
// Plain JavaScript, so that an older Node can hand over to the right one instead of failing with a syntax error.
import { keepCompiledCode } from './compiled-code.js';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 12)) {
  const { runWithInstalledNode } = await import('./older-node.js');
  runWithInstalledNode();
} else {
  keepCompiledCode();
  const { main } = await import('./cli.ts');
  process.exitCode = await main(process.argv.slice(2));
}
