/** Writes the generated pages: `npm exec -- node scripts/generate-docs.ts`. Tests fail where they are not true. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';

import { openApiDocument } from '../src/api/openapi.ts';
import { policyList } from '../src/cel/policies/reference.ts';
import { cliReference } from '../src/cli/reference.ts';
import { commandReference } from '../src/command/reference.ts';
import { environmentReference } from '../src/config/environment-reference.ts';
import { errorReference } from '../src/error-code.ts';
import { functionTable } from '../src/function/reference.ts';
import { withheldReasonTable } from '../src/reconcile/downstream/withheld-reason.ts';
import { metricsReference } from '../src/telemetry/reference.ts';
import { VERSION } from '../src/version.ts';
import { CHART_FILES } from './chart-files.ts';
import { withGeneratedPart } from './generated-part.ts';
import { publishedSchemas } from './published-schema.ts';

const docs = new URL('../docs/', import.meta.url);
const deploy = new URL('../deploy/', import.meta.url);

writeFileSync(new URL('cli.md', docs), cliReference());
writeFileSync(new URL('commands.md', docs), commandReference());
writeFileSync(new URL('environment.md', docs), environmentReference());
writeFileSync(new URL('errors.md', docs), errorReference());
writeFileSync(new URL('metrics.md', docs), metricsReference());
writeFileSync(new URL('openapi.json', docs), `${JSON.stringify(openApiDocument(VERSION), null, 2)}\n`);
for (const [file, schema] of Object.entries(publishedSchemas()))
  writeFileSync(new URL(file, docs), `${JSON.stringify(schema, null, 2)}\n`);

for (const [file, text] of [
  ['functions.md', functionTable()],
  ['policies.md', policyList()],
  ['variants.md', withheldReasonTable()],
] as const) {
  const page = new URL(file, docs);
  writeFileSync(page, withGeneratedPart(readFileSync(page, 'utf8'), text));
}

// A chart holds what it installs.
for (const [from, to] of Object.entries(CHART_FILES))
  copyFileSync(new URL(from, deploy), new URL(to, deploy));
