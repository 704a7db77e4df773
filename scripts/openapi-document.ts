/** Reads GitHub's OpenAPI descriptions, as the extraction scripts need them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { isObject, jsonSchema } from './extract-json-schema.ts';
import type { JsonObject } from './extract-json-schema.ts';

/** What a request and its replies may hold. */
export function slimOperation(api: JsonObject, operation: JsonObject): JsonObject {
  const parameters = listAt(operation, 'parameters').map((parameter) => {
    const { name, in: place, required, schema } = deref(api, parameter);
    return { name, in: place, ...(required === true ? { required } : {}), schema: jsonSchema(schema) };
  });
  const body = operation['requestBody'];
  const replies: JsonObject = {};
  for (const [status, reply] of Object.entries(objectAt(operation, 'responses'))) {
    replies[status] = jsonBody(api, reply) ?? null;
  }
  return {
    id: operation['operationId'],
    parameters,
    ...(body === undefined
      ? {}
      : { bodyRequired: deref(api, body)['required'] === true, body: jsonBody(api, body) ?? {} }),
    replies,
  };
}

/** The JSON schema of a request body or a reply, undefined where it has no JSON. */
export function jsonBody(api: JsonObject, holder: unknown): JsonObject | undefined {
  const content = deref(api, holder)['content'];
  if (!isObject(content)) return undefined;
  const media = content['application/json'];
  return isObject(media) ? jsonSchema(media['schema']) : undefined;
}

export function schemasOf(api: JsonObject): JsonObject {
  return objectAt(objectAt(api, 'components'), 'schemas');
}

function deref(api: JsonObject, value: unknown): JsonObject {
  if (!isObject(value)) throw new Error('an object was expected');
  const ref = value['$ref'];
  if (typeof ref !== 'string') return value;
  let at: JsonObject = api;
  for (const key of ref.slice(2).split('/')) at = objectAt(at, key);
  return at;
}

export function objectAt(holder: JsonObject, key: string): JsonObject {
  const value = holder[key];
  if (!isObject(value)) throw new Error(`the description has no ${key}`);
  return value;
}

function listAt(holder: JsonObject, key: string): readonly unknown[] {
  const value = holder[key];
  return Array.isArray(value) ? value : [];
}

export function readJson(path: string): JsonObject {
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (!isObject(value)) throw new Error(`${path} holds no object`);
  return value;
}

export function sourceOf(dir: string): string {
  const { name, version, license } = readJson(join(dir, 'package.json'));
  return `${String(name)} ${String(version)} (${String(license)})`;
}
