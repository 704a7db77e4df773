/**
 * `npm run oracles [-- FAMILY…] [--check] [--new]` makes the results of the golden cases again with the real tools, which Go builds from the
 * module proxy. With `--check` it changes nothing and fails where a result differs. With `--new` it asks only for cases that have no result.
 * With `--rules` it asks no tool, and lists the rules of each family with the cases that hold them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';

import { type Document, parseAllDocuments } from 'yaml';

import { caseFiles, families, readHeads, readRules } from '../test/corpus/read-cases.ts';
import { FAMILIES } from './oracles/families.ts';
import type { Family } from './oracles/family.ts';
import { buildTool, toolNamed } from './oracles/tools.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    check: { type: 'boolean', default: false },
    new: { type: 'boolean', default: false },
    rules: { type: 'boolean', default: false },
  },
});

const unknown = positionals.filter((name) => !families().includes(name));
if (unknown.length > 0)
  throw new Error(`No family is ${unknown.join(', ')}. Known: ${families().join(', ')}.`);
const isWanted = (name: string): boolean => positionals.length === 0 || positionals.includes(name);

if (values.rules) for (const name of families().filter(isWanted)) listRules(name);
else {
  let different = 0;
  for (const family of FAMILIES.filter(({ name }) => isWanted(name)))
    for (const path of caseFiles(family.name)) different += await askFile(family, path);
  if (values.check && different > 0) process.exitCode = 1;
}

function listRules(family: string): void {
  const cases = readHeads(family);
  process.stdout.write(`\n# ${family}: ${cases.length} cases\n`);
  for (const [rule, sentence] of Object.entries(readRules(family))) {
    const holders = cases.filter(({ rules }) => rules.includes(rule)).map(({ name }) => name);
    process.stdout.write(`${rule}: ${sentence}\n    ${holders.join(', ')}\n`);
  }
}

/** Returns how many results differ from those in the file. */
async function askFile(family: Family, path: string): Promise<number> {
  const before = readFileSync(path, 'utf8');
  const documents = parseAllDocuments(before) as Document[];
  let changed = 0;
  for (const document of documents) if (await askCase(family, document)) changed += 1;
  if (changed > 0) {
    process.stderr.write(
      `${family.name}/${basename(path)}: ${changed} of ${documents.length} results differ\n`,
    );
    if (!values.check) writeFileSync(path, documents.map(textOf).join('---\n'));
  }
  return changed;
}

function textOf(document: Document): string {
  const text = document.toString({
    lineWidth: 0,
    flowCollectionPadding: false,
    // Edits stay on one line each.
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  });
  return text.replace(/^---\n/, '');
}

/** Puts the tool's result into the case, and returns whether that changed it. */
async function askCase(family: Family, document: Document): Promise<boolean> {
  const one = document.toJS({ maxAliasCount: -1 }) as Record<string, unknown>;
  const name = (one['tool'] as { name?: string } | undefined)?.name;
  if (name === undefined || (values.new && 'expected' in one)) return false;
  if (!family.tools.includes(name))
    throw new Error(`${family.name}/${String(one['name'])}: not a tool of this family: ${name}`);
  const { expected: _, ...asked } = one;
  const answer = await family.ask(asked, buildTool(name));
  const wanted = { ...answer, tool: { name, version: toolNamed(name).version } };
  const isSame = Object.entries(wanted).every(
    ([key, value]) => JSON.stringify(one[key]) === JSON.stringify(value),
  );
  if (isSame) return false;
  for (const [key, value] of Object.entries(wanted)) document.set(key, document.createNode(value));
  if (values.check) process.stderr.write(`differs: ${family.name}/${String(one['name'])}\n`);
  return true;
}
