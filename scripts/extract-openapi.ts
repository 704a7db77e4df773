/**
 * Cuts GitHub's published descriptions down to what the local forge serves and writes the extracts that the contract
 * tests and the GraphQL endpoint read. Run it after a change to `forge-surface.ts`:
 *
 *   npm pack @octokit/openapi@23.0.2 @octokit/openapi-webhooks@12.1.0 @octokit/graphql-schema@15.26.1
 *   (unpack each), then
 *   node scripts/extract-openapi.ts OPENAPI_DIR OPENAPI_WEBHOOKS_DIR GRAPHQL_SCHEMA_DIR
 *   npm run format
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { extractGraphql } from './extract-graphql.ts';
import { isObject, jsonSchema, reachable } from './extract-json-schema.ts';
import type { JsonObject } from './extract-json-schema.ts';
import { OPERATIONS, WEBHOOKS } from './forge-surface.ts';

const ROOT = new URL('..', import.meta.url);

const [openapiDir, webhooksDir, graphqlDir] = process.argv.slice(2);
if (openapiDir === undefined || webhooksDir === undefined || graphqlDir === undefined) {
  process.stderr.write('usage: extract-openapi.ts OPENAPI_DIR OPENAPI_WEBHOOKS_DIR GRAPHQL_SCHEMA_DIR\n');
  process.exit(64);
}

write('test/contract/github-openapi.json', JSON.stringify(extractRest(openapiDir)) + '\n');
write('test/contract/github-openapi-webhooks.json', JSON.stringify(extractWebhooks(webhooksDir)) + '\n');
write('src/localforge/graphql/github-schema.ts', extractGraphql(join(graphqlDir, 'schema.graphql')));

function write(path: string, text: string): void {
  writeFileSync(new URL(path, ROOT), text);
  process.stdout.write(`${path}: ${Math.round(Buffer.byteLength(text) / 1024)} KiB\n`);
}

function extractRest(dir: string): JsonObject {
  const api = readJson(join(dir, 'generated', 'api.github.com.json'));
  const paths = objectAt(api, 'paths');
  const operations: JsonObject = {};
  for (const [path, methods] of Object.entries(OPERATIONS)) {
    for (const method of methods.split(' ')) {
      const operation = objectAt(objectAt(paths, path), method);
      operations[`${method.toUpperCase()} ${path}`] = slimOperation(api, operation);
    }
  }
  return { source: sourceOf(dir), operations, schemas: reachable(operations, schemasOf(api)) };
}

function extractWebhooks(dir: string): JsonObject {
  const api = readJson(join(dir, 'generated', 'api.github.com.json'));
  const webhooks: JsonObject = {};
  for (const [event, actions] of Object.entries(WEBHOOKS)) {
    for (const action of actions.split(' ')) {
      const name = (action === '' ? event : `${event}-${action}`).replaceAll('_', '-');
      const body = objectAt(objectAt(objectAt(api, 'webhooks'), name), 'post')['requestBody'];
      webhooks[action === '' ? event : `${event}.${action}`] = jsonBody(api, body) ?? {};
    }
  }
  return { source: sourceOf(dir), webhooks, schemas: reachable(webhooks, schemasOf(api)) };
}

function slimOperation(api: JsonObject, operation: JsonObject): JsonObject {
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
function jsonBody(api: JsonObject, holder: unknown): JsonObject | undefined {
  const content = deref(api, holder)['content'];
  if (!isObject(content)) return undefined;
  const media = content['application/json'];
  return isObject(media) ? jsonSchema(media['schema']) : undefined;
}

function schemasOf(api: JsonObject): JsonObject {
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

function objectAt(holder: JsonObject, key: string): JsonObject {
  const value = holder[key];
  if (!isObject(value)) throw new Error(`the description has no ${key}`);
  return value;
}

function listAt(holder: JsonObject, key: string): readonly unknown[] {
  const value = holder[key];
  return Array.isArray(value) ? value : [];
}

function readJson(path: string): JsonObject {
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (!isObject(value)) throw new Error(`${path} holds no object`);
  return value;
}

function sourceOf(dir: string): string {
  const { name, version, license } = readJson(join(dir, 'package.json'));
  return `${String(name)} ${String(version)} (${String(license)})`;
}
