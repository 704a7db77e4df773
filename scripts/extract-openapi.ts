/**
 * Cuts GitHub's published descriptions down to what the local forge serves and writes the extracts that the contract
 * tests and the GraphQL endpoint read. Run it after a change to `forge-surface.ts`:
 *
 *   npm pack @octokit/openapi@23.0.2 @octokit/openapi-webhooks@12.1.0 @octokit/graphql-schema@15.26.1
 *   (unpack each), then
 *   node scripts/extract-openapi.ts OPENAPI_DIR OPENAPI_WEBHOOKS_DIR GRAPHQL_SCHEMA_DIR
 *   npm run format
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { extractEnterprise } from './extract-enterprise.ts';
import { extractGraphql } from './extract-graphql.ts';
import { reachable } from './extract-json-schema.ts';
import type { JsonObject } from './extract-json-schema.ts';
import { forgeCalls } from './forge-calls.ts';
import { OPERATIONS, WEBHOOKS } from './forge-surface.ts';
import { jsonBody, objectAt, readJson, schemasOf, slimOperation, sourceOf } from './openapi-document.ts';

const ROOT = new URL('..', import.meta.url);

const [openapiDir, webhooksDir, graphqlDir] = process.argv.slice(2);
if (openapiDir === undefined || webhooksDir === undefined || graphqlDir === undefined) {
  process.stderr.write('usage: extract-openapi.ts OPENAPI_DIR OPENAPI_WEBHOOKS_DIR GRAPHQL_SCHEMA_DIR\n');
  process.exit(64);
}

write('localforge/test/contract/github-openapi.json', JSON.stringify(extractRest(openapiDir)) + '\n');
write(
  'test/contract/github-enterprise-openapi.json',
  JSON.stringify(extractEnterprise(openapiDir, forgeCalls())) + '\n',
);
write(
  'localforge/test/contract/github-openapi-webhooks.json',
  JSON.stringify(extractWebhooks(webhooksDir)) + '\n',
);
for (const [name, text] of Object.entries(extractGraphql(join(graphqlDir, 'schema.graphql')))) {
  write(`localforge/src/graphql/${name}`, text);
}

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
