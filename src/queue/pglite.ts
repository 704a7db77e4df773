import { setFlagsFromString } from 'node:v8';

import { PGlite } from '@electric-sql/pglite';

/**
 * A queue is small: the engine's default of 128 MB of buffers would be most of the server's memory, and every process
 * that is started (git, above all) takes longer the more memory its parent holds.
 */
const SETTINGS = { startParams: [...PGlite.defaultStartParams, '-c', 'shared_buffers=8MB'] };

/** Opens PGlite on a directory, which it fills when it is empty. Only who holds the directory's lock may. */
export function openEngine(directory: string): Promise<PGlite> {
  // One of the engine's functions costs V8's optimizing compiler 600 MB and seconds of a processor, to make a job of the
  // queue cheaper by a twentieth. The flags are of the whole process: nothing else in it leans on WebAssembly.
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
  return PGlite.create(directory, SETTINGS);
}
