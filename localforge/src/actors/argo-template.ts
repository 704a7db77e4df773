/** Templates of Argo CD's notifications for the service `github` (argoproj/notifications-engine `docs/services/github.md`). */
import { parse } from 'yaml';
import { z } from 'zod';

const template = z.looseObject({
  message: z.string().default(''),
  github: z.looseObject({
    status: z
      .looseObject({
        state: z.enum(['error', 'failure', 'pending', 'success']),
        label: z.string(),
        targetURL: z.string().default(''),
      })
      .optional(),
    deployment: z
      .looseObject({
        state: z.enum(['error', 'failure', 'inactive', 'in_progress', 'queued', 'pending', 'success']),
        environment: z.string(),
        environmentURL: z.string().default(''),
        logURL: z.string().default(''),
        transientEnvironment: z.boolean().default(false),
        reference: z.string().default(''),
      })
      .optional(),
    checkRun: z
      .looseObject({ name: z.string(), conclusion: z.enum(['success', 'failure', 'skipped']) })
      .optional(),
  }),
});

export type ArgoTemplate = z.output<typeof template>;

/** Reads a template; undefined for one that says nothing to GitHub, or nothing that can be read. */
export function argoTemplate(text: string): ArgoTemplate | undefined {
  const read = template.safeParse(parse(text, { logLevel: 'silent' }));
  return read.success ? read.data : undefined;
}

/** Each `{{.a.b}}` of its texts in the place of what stands there in `data`; of Go's templates this is all. */
export function fillTemplate(wanted: ArgoTemplate, data: Readonly<Record<string, unknown>>): ArgoTemplate {
  return template.parse(filled(wanted, data));
}

function filled(value: unknown, data: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === 'string') return fillText(value, data);
  if (Array.isArray(value)) return value.map((one) => filled(one, data));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filled(one, data)]));
}

/** What is not there is written as Go's text/template writes it. */
const fillText = (text: string, data: Readonly<Record<string, unknown>>): string =>
  text.trim().replaceAll(/\{\{\s*((?:\.[A-Za-z_][\w-]*)+)\s*\}\}/g, (_all, path: string) => {
    const found = path.slice(1).split('.').reduce<unknown>(below, data);
    return typeof found === 'string' || typeof found === 'number' ? String(found) : '<no value>';
  });

const below = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
