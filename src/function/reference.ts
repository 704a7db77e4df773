/** What there is to know of the built-in functions, for `portico get functions` and the page of functions. */
import type { BuiltinFunction } from './builtin/builtin-function.ts';
import { BUILTINS } from './builtin/table.ts';
import { lookUp, namesOf } from './registry.ts';

export interface FunctionFacts extends Omit<BuiltinFunction, 'versions'> {
  /** Minor versions that are built in, oldest first. */
  readonly versions: readonly string[];
  readonly runtime: 'built in';
}

/** All built-in functions, in the order of the documentation. */
export function functionFacts(): FunctionFacts[] {
  return BUILTINS.map(({ name, versions, type, summary, config, fields, idempotent }) => ({
    name,
    versions: namesOf(versions),
    type,
    runtime: 'built in',
    summary,
    config,
    fields,
    idempotent,
  }));
}

/** The built-in function that an image means, with only the version that would run; undefined for all other images. */
export function factsOfImage(image: string): FunctionFacts | undefined {
  const found = lookUp(image);
  if (found.found !== 'builtin') return undefined;
  const facts = functionFacts().find(({ name }) => name === found.name);
  return facts && { ...facts, versions: [found.version] };
}

/** The table of the page of functions, in Markdown. */
export function functionTable(): string {
  const rows = functionFacts().map(
    ({ name, versions, type, summary, config, fields, idempotent }) =>
      `| \`${name}\` | ${versions.join(', ')} | ${type} | ${summary} | ${config.join(', ')} | ${fields} | ${idempotent} |`,
  );
  return [
    '| function | versions | type | what it does | configuration | what it touches | idempotent |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
