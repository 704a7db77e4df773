/** Golden cases of operator tools, where they lie beside the checkout. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'yaml';

const CORPUS = join(import.meta.dirname, '../../../shared/corpus/catalog');

export interface Case {
  readonly id: string;
  readonly family: string;
  readonly directory: string;
  readonly options: Partial<Options>;
  readonly expected: Partial<Expected>;
}

interface Options {
  readonly minimumEdge: string;
  readonly package: string;
  readonly drawV0Semantics: boolean;
  readonly channels: readonly string[];
  readonly version: string;
  readonly upgradeConstraintPolicy: string;
  readonly installed: string;
}

interface Expected {
  readonly outcome: 'valid' | 'error';
  readonly error_leaves: readonly string[];
  readonly error_text: string;
  readonly error_contains: string;
  readonly error_contains_each: readonly string[];
  readonly error_must_not_contain: readonly string[];
  readonly packages: Record<string, unknown>;
  readonly counts: { readonly packages: number; readonly bundles: number; readonly deprecations: number };
  readonly files: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly columns: readonly string[];
  readonly resolved: string;
  readonly successors: readonly string[];
  readonly heads: Record<string, string>;
  readonly defaultChannel: string;
  readonly memberships: readonly string[];
  readonly deprecated: readonly string[];
  readonly tail: Record<string, object>;
}

/** The cases of these families; none, and told, where the corpus is not there. */
export function casesOf(families: readonly string[]): Case[] {
  if (!existsSync(CORPUS)) {
    process.stderr.write(
      `SKIPPED: the catalog corpus is not at ${CORPUS}; no case of ${families.join(', ')} is checked.\n`,
    );
    return [];
  }
  return readdirSync(CORPUS)
    .map((name): Case => {
      const directory = join(CORPUS, name);
      const found = parse(readFileSync(join(directory, 'case.yaml'), 'utf8')) as Omit<
        Case,
        'directory' | 'options'
      > &
        Partial<Case>;
      return { ...found, options: found.options ?? {}, directory };
    })
    .filter(({ family }) => families.includes(family));
}
