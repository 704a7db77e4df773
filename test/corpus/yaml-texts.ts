/** The YAML files that the golden cases hold, for tests that want many texts rather than cases. */
import { readFileSync } from 'node:fs';

import { parseAllDocuments } from 'yaml';

import { caseFiles } from './read-cases.ts';

/** Returns the different YAML texts in the cases of some families: inputs, and results of tools. */
export function yamlTexts(names: readonly string[]): string[] {
  const texts = new Set<string>();
  for (const path of names.flatMap(caseFiles))
    for (const document of parseAllDocuments(readFileSync(path, 'utf8')))
      collect(document.toJS({ maxAliasCount: -1 }), texts);
  return [...texts];
}

function collect(value: unknown, texts: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner !== 'string') collect(inner, texts);
    else if (/(?:\.ya?ml|Kptfile)$/.test(key)) texts.add(inner);
  }
}
