/**
 * The golden cases: `test/corpus/FAMILY/TOPIC.yaml`, one case a document. A case has an input that we wrote, and the result of the tool
 * that it names; `npm run oracles` makes the results again. `test/corpus/FAMILY/rules.yaml` lists the rules that the cases hold.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';

export const CORPUS = import.meta.dirname;

const RULES = 'rules.yaml';

/** A package or another tree: text by path. */
export const tree = z.record(z.string(), z.string());

/** Every case has these fields; `authored` says why no tool can be asked, and where the rule is written. */
const head = z.object({
  name: z.string().regex(/^[a-z0-9.-]+$/),
  rules: z.array(z.string()).min(1),
  note: z.string().optional(),
  tool: z.object({ name: z.string(), version: z.string() }).optional(),
  authored: z.string().optional(),
});

export type CaseHead = z.infer<typeof head>;

/** Returns the names of all families: the directories of the corpus. */
export function families(): string[] {
  return readdirSync(CORPUS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

/** Returns the files of a family that hold cases, with their paths. */
export function caseFiles(family: string): string[] {
  return readdirSync(join(CORPUS, family))
    .filter((name) => name.endsWith('.yaml') && name !== RULES)
    .sort()
    .map((name) => join(CORPUS, family, name));
}

/** Returns the rules of a family: a sentence by id. */
export function readRules(family: string): Record<string, string> {
  return z.record(z.string(), z.string()).parse(parse(readFileSync(join(CORPUS, family, RULES), 'utf8')));
}

/** Reads only what all families have in common of a family's cases, in the order of files and documents. */
export function readHeads(family: string): CaseHead[] {
  return caseFiles(family).flatMap((path) =>
    parseAllDocuments(readFileSync(path, 'utf8')).map((document) =>
      head.parse(document.toJS({ maxAliasCount: -1 })),
    ),
  );
}

/**
 * Reads the cases of a family, in the order of files and documents.
 *
 * @param shape what a case of this family has besides the common fields: its input, options and result
 * @throws with the place, where a case does not fit
 */
export function readCases<T extends z.ZodRawShape>(
  family: string,
  shape: T,
): (CaseHead & z.infer<z.ZodObject<T>>)[] {
  const schema = z.strictObject({ ...head.shape, ...shape });
  return caseFiles(family).flatMap((path) =>
    parseAllDocuments(readFileSync(path, 'utf8')).map((document, index) => {
      if (document.errors.length > 0)
        throw new Error(`${path}, case ${index + 1}: ${String(document.errors[0])}`);
      const read = schema.safeParse(document.toJS({ maxAliasCount: -1 }));
      if (!read.success) throw new Error(`${path}, case ${index + 1}: ${z.prettifyError(read.error)}`);
      return read.data as CaseHead & z.infer<z.ZodObject<T>>;
    }),
  );
}
