import { SCHEMA_INPUTS } from './schema-inputs.ts';
import { SCHEMA_OBJECTS } from './schema-objects.ts';
import { SCHEMA_OPERATIONS } from './schema-operations.ts';
import { SCHEMA_VALUES } from './schema-values.ts';

/** The part of GitHub's GraphQL schema that this forge serves. */
export const GITHUB_SCHEMA = [SCHEMA_OPERATIONS, SCHEMA_OBJECTS, SCHEMA_INPUTS, SCHEMA_VALUES].join('');
