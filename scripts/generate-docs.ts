/** Writes the generated pages: `npm exec -- node scripts/generate-docs.ts`. Tests fail where they are not true. */
import { readFileSync, writeFileSync } from 'node:fs';

import { openApiDocument } from '../src/api/openapi.ts';
import { withPolicyTable } from '../src/cel/policies/reference.ts';
import { cliReference } from '../src/cli/reference.ts';
import { commandReference } from '../src/command/reference.ts';
import { errorReference } from '../src/error-code.ts';
import { withFunctionTable } from '../src/function/reference.ts';
import { withReasonTable } from '../src/reconcile/downstream/withheld-reason.ts';
import { metricsReference } from '../src/telemetry/reference.ts';
import { VERSION } from '../src/version.ts';
import { publishedSchemas } from './published-schema.ts';

const docs = new URL('../docs/', import.meta.url);

writeFileSync(new URL('cli.md', docs), cliReference());
writeFileSync(new URL('commands.md', docs), commandReference());
writeFileSync(new URL('errors.md', docs), errorReference());
writeFileSync(new URL('metrics.md', docs), metricsReference());
writeFileSync(new URL('openapi.json', docs), `${JSON.stringify(openApiDocument(VERSION), null, 2)}\n`);
for (const [file, schema] of Object.entries(publishedSchemas()))
  writeFileSync(new URL(file, docs), `${JSON.stringify(schema, null, 2)}\n`);

const functions = new URL('functions.md', docs);
writeFileSync(functions, withFunctionTable(readFileSync(functions, 'utf8')));

const policies = new URL('policies.md', docs);
writeFileSync(policies, withPolicyTable(readFileSync(policies, 'utf8')));

const variants = new URL('variants.md', docs);
writeFileSync(variants, withReasonTable(readFileSync(variants, 'utf8')));
