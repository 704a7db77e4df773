import { createHash } from 'node:crypto';
import { serialize } from 'node:v8';

import type { Guardrail } from '../package/render/render-types.ts';
import type { ContentLimits } from './limits.ts';
import type { Packages } from './wire-files.ts';

/** Definitions are lists of thousands, and the same list again and again. */
const digests = new WeakMap<object, string>();

/** A digest of all that a piece of work depends on. Files that git names are not read for it. */
export function workKey({
  operation,
  packages,
  rest,
  version,
  limits,
}: {
  readonly operation: string;
  readonly packages: Packages;
  readonly rest: Readonly<Record<string, unknown>>;
  readonly version: string;
  readonly limits: ContentLimits;
}): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify(['portico work 1', operation, version, limits]));
  for (const [set, files] of Object.entries(packages)) {
    hash.update(`\n${set}\n`);
    for (const [path, { mode, id, bytes }] of files) {
      hash.update(JSON.stringify([path, mode, id ?? createHash('sha256').update(bytes).digest('hex')]));
    }
  }
  hash.update(serialize(withoutDefinitions(rest)));
  return hash.digest('hex');
}

function withoutDefinitions(rest: Readonly<Record<string, unknown>>): unknown {
  const { guardrails } = rest;
  if (!Array.isArray(guardrails)) return rest;
  const named = guardrails.map((guardrail: Guardrail) => {
    const { definitions, ...own } = guardrail;
    if (definitions === undefined) return own;
    const known =
      digests.get(definitions) ?? createHash('sha256').update(serialize(definitions)).digest('hex');
    digests.set(definitions, known);
    return { ...own, definitions: known };
  });
  return { ...rest, guardrails: named };
}
