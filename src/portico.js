#!/usr/bin/env node
// Plain JavaScript, so that an older Node reaches the sentence below instead of a syntax error.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 12)) {
  process.stderr.write(
    `portico needs Node 24.12 or newer, and this is ${process.version}. Run it with npm, which brings the right one: npm run portico -- --help\n`,
  );
  process.exit(64);
}
await keepCompiledCode();
const { main } = await import('./cli.ts');
process.exitCode = await main(process.argv.slice(2));

// Compiled code is kept between runs, in the user's own directory: a start takes half the time and memory. Where there
// is no such directory, nothing is kept. Directories are made one by one: Node's own way never ends on odd file systems.
async function keepCompiledCode() {
  const [{ enableCompileCache }, { existsSync, mkdirSync }, { homedir }] = await Promise.all([
    import('node:module'),
    import('node:fs'),
    import('node:os'),
  ]);
  const cache = process.env.XDG_CACHE_HOME || `${homedir()}/.cache`;
  for (const directory of [cache, `${cache}/portico`]) {
    try {
      if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 });
    } catch {
      return;
    }
  }
  enableCompileCache(`${cache}/portico`);
}
