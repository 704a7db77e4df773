/**
 * A program: makes an empty store of the embedded engine in the directory of its first argument, and ends. Making one
 * takes half a gigabyte for a moment, which a process of its own gives back to the last byte.
 */
import { openEngine } from './pglite.ts';

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error('a directory is needed');
await (await openEngine(directory)).close();
// The engine leaves handles that would keep the process.
process.exit(0);
