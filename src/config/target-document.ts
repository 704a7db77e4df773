/** What a `Target` document below `.github/portico/targets/` may say, and the mistakes in those that are there. */
import { z } from 'zod';

import type { ConfigProblem } from './config-problem.ts';
import { problemsOf, type ConfigSource } from './repository-document.ts';
import { readYamlDocuments } from './yaml-place.ts';

const API = /^(?:[a-z0-9.-]{1,253}\/)?v[0-9a-z]{1,30}(?:\/[A-Z][A-Za-z0-9]{0,62})?$/;
const API_WORDS =
  'must be an API such as monitoring.coreos.com/v1 or monitoring.coreos.com/v1/ServiceMonitor';

/** What the clusters of one kind serve beside the APIs that every cluster has. */
export const targetDocument = z.strictObject({
  apiVersion: z.literal('config.portico.dev/v1alpha1'),
  kind: z.literal('Target'),
  metadata: z.object({
    name: z
      .string()
      .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'must have 1 to 63 lower-case letters, digits and -'),
  }),
  spec: z.strictObject({
    kubeVersion: z
      .string()
      .regex(/^v?\d+\.\d+(?:\.\d+)?$/, 'must be a version of Kubernetes, such as 1.33.0')
      .optional(),
    apis: z.array(z.string().regex(API, API_WORDS)).max(2_000).default([]),
    labels: z.record(z.string(), z.string()).default({}),
  }),
});

/** The mistakes in a file's targets, each on its line. Documents of other kinds are somebody else's. */
export function targetProblems({ file, bytes }: ConfigSource): readonly ConfigProblem[] {
  if (!/^kind: *["']?Target\b/m.test(new TextDecoder().decode(bytes))) return [];
  return readYamlDocuments(file, bytes).documents.flatMap((yaml) => {
    const { kind } = (yaml.data ?? {}) as { kind?: unknown };
    if (kind !== 'Target') return [];
    const parsed = targetDocument.safeParse(yaml.data, { reportInput: true });
    if (parsed.success) return [];
    const schema = (): unknown => z.toJSONSchema(targetDocument, { io: 'input' });
    return parsed.error.issues.flatMap((issue) =>
      problemsOf({ file, issue, yaml, jsonSchema: schema, reference: 'docs/processors.md' }),
    );
  });
}
