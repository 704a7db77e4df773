/** A golden case of rendering: a package whose pipelines call `functions/krm.mjs`, and what `kpt fn render` makes of it. */
import { delimiter, dirname, join } from 'node:path';

import { z } from 'zod';

import { type CaseHead, CORPUS, tree } from '../read-cases.ts';
import { overlay } from '../tree-changes.ts';

const result = z.strictObject({
  message: z.string(),
  severity: z.string().optional(),
  resourceRef: z.record(z.string(), z.string()).optional(),
  field: z.record(z.string(), z.unknown()).optional(),
  file: z.record(z.string(), z.unknown()).optional(),
  tags: z.record(z.string(), z.string()).optional(),
});

const run = z.strictObject({
  exec: z.string().optional(),
  image: z.string().optional(),
  exitCode: z.number(),
  stderr: z.string().optional(),
  results: z.array(result).optional(),
});

export type Run = z.infer<typeof run>;

const outcome = z.strictObject({
  exitCode: z.union([z.literal(0), z.literal(1)]),
  /** The last words of the tool where it fails. */
  error: z.string().optional(),
  /** Files that differ from the package of the case. */
  files: overlay,
  /** What `-o unwrap` prints. */
  stdout: z.string().optional(),
  /** The functions that ran, as `--results-dir` lists them. */
  runs: z.array(run).optional(),
});

export type Outcome = z.infer<typeof outcome>;

export const input = {
  package: tree,
  /** Instead of `--allow-exec` alone. */
  args: z.array(z.string()).default(['--allow-exec']),
};

export const shape = {
  ...input,
  expected: outcome,
  /** How near files come to the tool's: with line comments, or data alone where the note says why. */
  compare: z.enum(['comments', 'data']).default('comments'),
  /** The code of Portico's refusal: of the package, of a function that could not run, or of its answer. */
  refusal: z.string().optional(),
  /** Why Portico gives something else than the tool, and what. */
  differs: z.strictObject({ why: z.string(), expected: outcome }).optional(),
};

export type RenderCase = CaseHead & z.infer<z.ZodObject<typeof shape>>;

/** Where programs of pipelines are found: our functions, and the Node that runs them. */
export const SEARCH_PATH = [
  join(CORPUS, 'render/functions'),
  dirname(process.execPath),
  process.env['PATH'],
].join(delimiter);
