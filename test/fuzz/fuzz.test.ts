/**
 * Every edge at which foreign text comes in. A short run is in `npm test`; `npm run fuzz` makes more than a million
 * executions, and `FUZZ_RUNS`, `FUZZ_SEED` and vitest's `-t` choose how many, which, and of what. One file, because
 * loading the modules takes longer than the short run.
 */
import './catalogs.ts';
import './archives.ts';
import './commands.ts';
import './documents.ts';
import './door.ts';
import './expressions.ts';
import './markdown.ts';
import './names.ts';
import './processors.ts';
