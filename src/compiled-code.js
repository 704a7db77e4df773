// Compiled code is kept between runs, in the user's own directory: a start takes half the time and memory. Where there
// is no such directory, nothing is kept. Directories are made one by one: Node's own way never ends on odd file systems.
export function keepCompiledCode() {
  const { enableCompileCache } = process.getBuiltinModule('node:module');
  // Node 20 has none.
  if (enableCompileCache === undefined) return;
  const { mkdirSync } = process.getBuiltinModule('node:fs');
  const paths = process.getBuiltinModule('node:path');
  const named = process.env.XDG_CACHE_HOME ?? '';
  // A relative one is to be passed over (XDG Base Directory Specification): a repository that one stands in could bring it.
  const cache = paths.isAbsolute(named) ? named : `${process.getBuiltinModule('node:os').homedir()}/.cache`;
  if (!paths.isAbsolute(cache)) return;
  for (const directory of [cache, `${cache}/portico`]) {
    try {
      mkdirSync(directory, { mode: 0o700 });
    } catch (error) {
      if (error.code !== 'EEXIST') return;
    }
    if (!isOwn(directory)) return;
  }
  enableCompileCache(`${cache}/portico`);
}

// Node runs what is there as it is, so nobody else may write there: neither whom it belongs to, such as the user whose home
// somebody has under sudo, nor a group, but the one that a user is alone in by its number, nor everyone.
function isOwn(directory) {
  // Windows has no numbers; there the directory of a user is the user's.
  if (process.getuid === undefined) return true;
  const { statSync } = process.getBuiltinModule('node:fs');
  try {
    const { uid, gid, mode } = statSync(directory);
    return uid === process.getuid() && (mode & (gid === uid ? 0o002 : 0o022)) === 0;
  } catch {
    return false;
  }
}
