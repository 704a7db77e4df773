// Compiled code is kept between runs, in the user's own directory: a start takes half the time and memory. Where there
// is no such directory, nothing is kept. Directories are made one by one: Node's own way never ends on odd file systems.
export function keepCompiledCode() {
  const { enableCompileCache } = process.getBuiltinModule('node:module');
  // Node 20 has none.
  if (enableCompileCache === undefined) return;
  const { existsSync, mkdirSync } = process.getBuiltinModule('node:fs');
  const cache = process.env.XDG_CACHE_HOME || `${process.getBuiltinModule('node:os').homedir()}/.cache`;
  for (const directory of [cache, `${cache}/portico`]) {
    try {
      if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 });
    } catch {
      return;
    }
  }
  enableCompileCache(`${cache}/portico`);
}
