/** Writes the generated pages: `npm exec -- node scripts/generate-docs.ts`. Tests fail where they are not true. */
import { readFileSync, writeFileSync } from 'node:fs';

import { openApiDocument } from '../src/api/openapi.ts';
import { withPolicyTable } from '../src/cel/policies/reference.ts';
import { packageChannelsJsonSchema } from '../src/channels/channels-schema.ts';
import { cliReference } from '../src/cli/reference.ts';
import { commandReference } from '../src/command/reference.ts';
import { repositoryJsonSchema } from '../src/config/repository-schema.ts';
import { rolloutJsonSchema } from '../src/config/rollout-schema.ts';
import { errorReference } from '../src/error-code.ts';
import { withFunctionTable } from '../src/function/reference.ts';
import { processorsSchema } from '../src/processors/processor-spec.ts';
import { sourcesJsonSchema } from '../src/sources/source-schema.ts';
import { VERSION } from '../src/version.ts';

const docs = new URL('../docs/', import.meta.url);

writeFileSync(new URL('cli.md', docs), cliReference());
writeFileSync(new URL('commands.md', docs), commandReference());
writeFileSync(new URL('errors.md', docs), errorReference());
writeFileSync(new URL('openapi.json', docs), `${JSON.stringify(openApiDocument(VERSION), null, 2)}\n`);
writeFileSync(new URL('portico.schema.json', docs), `${JSON.stringify(repositoryJsonSchema(), null, 2)}\n`);
writeFileSync(new URL('rollout.schema.json', docs), `${JSON.stringify(rolloutJsonSchema(), null, 2)}\n`);
writeFileSync(
  new URL('package-channels.schema.json', docs),
  `${JSON.stringify(packageChannelsJsonSchema(), null, 2)}\n`,
);
writeFileSync(
  new URL('sources.schema.json', docs),
  `${JSON.stringify(sourcesJsonSchema(processorsSchema), null, 2)}\n`,
);

const functions = new URL('functions.md', docs);
writeFileSync(functions, withFunctionTable(readFileSync(functions, 'utf8')));

const policies = new URL('policies.md', docs);
writeFileSync(policies, withPolicyTable(readFileSync(policies, 'utf8')));
