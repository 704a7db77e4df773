/** The OpenAPI 3.1 description of the API (https://spec.openapis.org/oas/v3.1.0), made of the schemas that answers are typed by. */
import { z } from 'zod';

import { COLLECTIONS, WHY } from './routes.ts';
import { failure, pageOf } from './schemas.ts';

const REFUSALS: Readonly<Record<string, string>> = {
  '400': 'A parameter is wrong or unknown',
  '401': 'The token is missing, or the forge refuses it',
  '404': 'No such repository, or the token may not read it',
  '429': 'Too many requests; the header Retry-After says how long to wait',
  '503': 'The forge or the index did not answer in time; ask again',
};

/** The whole document. The same version of Portico makes the same one. */
export function openApiDocument(version: string): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Portico',
      version,
      description:
        'How packages, revisions, updates, variants and rollouts stand. Read-only. The bearer token is one of the forge, and shows what the forge shows to it.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ forgeToken: [] }],
    paths: Object.fromEntries(
      [
        ...COLLECTIONS.map((one) => ({ ...one, id: `list-${one.path}`, answer: pageOf(one.row) })),
        { ...WHY, id: WHY.path },
      ].map((one) => [`/api/v1/${one.path}`, { get: operation(one) }] as const),
    ),
    components: {
      securitySchemes: {
        forgeToken: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A token of the forge: personal, of an OAuth App, or of an installation such as GITHUB_TOKEN',
        },
      },
      schemas: { Failure: schemaOf(failure, 'output') },
    },
  };
}

interface Operation {
  readonly id: string;
  readonly summary: string;
  readonly query: z.ZodType;
  readonly answer: z.ZodType;
}

function operation(one: Operation): object {
  const query = schemaOf(one.query, 'input') as {
    readonly properties: Readonly<Record<string, Property>>;
  };
  return {
    operationId: one.id,
    summary: one.summary,
    parameters: [
      ...Object.entries(query.properties).map(([name, { description, ...schema }]) => ({
        name,
        in: 'query',
        description,
        schema: name === 'limit' ? { type: 'integer', minimum: 1, maximum: 500, default: 100 } : schema,
      })),
      {
        name: 'If-None-Match',
        in: 'header',
        description: 'ETag of an earlier answer; 304 where it is still the same',
        schema: { type: 'string' },
      },
    ],
    responses: {
      '200': {
        description: 'The answer; pages are sorted by repository',
        headers: { ETag: { schema: { type: 'string' } } },
        content: { 'application/json': { schema: schemaOf(one.answer, 'output') } },
      },
      '304': { description: 'Unchanged' },
      ...Object.fromEntries(
        Object.entries(REFUSALS).map(([status, description]) => [
          status,
          {
            description,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
          },
        ]),
      ),
    },
  };
}

interface Property {
  readonly description?: string;
}

/** In the dialect that OpenAPI 3.1 has; definitions stay beside what refers to them. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): object {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    reused: 'inline',
  });
  return rest;
}
