/** What GitHub Enterprise Server takes of the calls that the bot makes, version by version. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { isObject, reachable } from './extract-json-schema.ts';
import type { JsonObject } from './extract-json-schema.ts';
import { objectAt, readJson, schemasOf, slimOperation, sourceOf } from './openapi-document.ts';

const VERSION = /^ghes-(\d+\.\d+)\.json$/;
/** Fields deeper than that in a reply are nothing that a client reads. */
const DEEPEST = 3;

/** For each version that the package describes: the calls with what may be sent, and what github.com has beyond it. */
export function extractEnterprise(dir: string, calls: readonly string[]): JsonObject {
  const generated = join(dir, 'generated');
  const github = readJson(join(generated, 'api.github.com.json'));
  const versions: JsonObject = {};
  for (const file of readdirSync(generated).sort()) {
    const [, version] = VERSION.exec(file) ?? [];
    if (version === undefined) continue;
    const api = readJson(join(generated, file));
    const operations: JsonObject = {};
    const lacks: JsonObject = {};
    for (const call of calls) {
      const there = operationOf(github, call);
      const here = operationOf(api, call);
      if (here === undefined || there === undefined) {
        lacks[call] = ['the call itself'];
        continue;
      }
      const { replies: _replies, ...request } = slimOperation(api, here);
      operations[call] = request;
      const known = new Set(fieldsOf(api, here));
      const missing = fieldsOf(github, there).filter((field) => !known.has(field));
      const outermost = missing.filter((field) => !missing.some((other) => field.startsWith(`${other}.`)));
      if (outermost.length > 0) lacks[call] = outermost;
    }
    versions[version] = { operations, lacks, schemas: reachable(operations, schemasOf(api)) };
  }
  return { source: sourceOf(dir), versions };
}

function operationOf(api: JsonObject, call: string): JsonObject | undefined {
  const [method = '', path = ''] = call.split(' ');
  const item = objectAt(api, 'paths')[path];
  const operation = isObject(item) ? item[method.toLowerCase()] : undefined;
  return isObject(operation) ? operation : undefined;
}

/** Names of parameters, and of all fields of the body and of replies that tell a success. */
function fieldsOf(api: JsonObject, operation: JsonObject): string[] {
  const { parameters, body, replies } = slimOperation(api, operation) as {
    readonly parameters: readonly { readonly name: string }[];
    readonly body?: JsonObject;
    readonly replies: Readonly<Record<string, JsonObject | null>>;
  };
  const fields = new Set(parameters.map(({ name }) => `parameter ${name}`));
  walk({ api, schema: body, before: 'body ', fields, depth: 0 });
  for (const [status, reply] of Object.entries(replies)) {
    if (status.startsWith('2') && reply !== null)
      walk({ api, schema: reply, before: 'reply ', fields, depth: 0 });
  }
  return [...fields].sort();
}

function walk({
  api,
  schema,
  before,
  fields,
  depth,
}: {
  readonly api: JsonObject;
  readonly schema: unknown;
  readonly before: string;
  readonly fields: Set<string>;
  readonly depth: number;
}): void {
  if (!isObject(schema) || depth > DEEPEST) return;
  const { $ref: ref, properties, items, anyOf, allOf } = schema;
  if (typeof ref === 'string') {
    walk({ api, schema: slimSchema(api, ref), before, fields, depth });
    return;
  }
  for (const [name, inner] of Object.entries(isObject(properties) ? properties : {})) {
    fields.add(`${before}${name}`);
    walk({ api, schema: inner, before: `${before}${name}.`, fields, depth: depth + 1 });
  }
  for (const part of [anyOf, allOf].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []))) {
    walk({ api, schema: part, before, fields, depth: depth + 1 });
  }
  walk({ api, schema: items, before, fields, depth });
}

/** `#/schemas/NAME`, as `jsonSchema` writes references. */
function slimSchema(api: JsonObject, ref: string): JsonObject {
  const schema = objectAt(schemasOf(api), ref.slice(ref.lastIndexOf('/') + 1));
  return 'oneOf' in schema ? { ...schema, anyOf: schema['oneOf'] } : schema;
}
