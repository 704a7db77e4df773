/**
 * `PolicyExemption` documents below `.github/portico/`: who is answerable for what a guardrail finds in some packages, until
 * when, and why. Only the base branch's count, as with guardrails.
 */
import { z } from 'zod';

import { text } from './checked-text.ts';
import type { ConfigProblem } from './config-problem.ts';
import { globProblem } from './glob.ts';
import type { ConfigResult } from './parse-repository-config.ts';
import type { Exemption } from './repository-config.ts';
import { problemsOf, type ConfigSource } from './repository-document.ts';
import { readYamlDocuments, type YamlDocument } from './yaml-place.ts';

const KIND = 'PolicyExemption';

/** Exemptions of one repository; who needs more has the wrong guardrail. */
const MAX_EXEMPTIONS = 500;

const glob = text(globProblem);

const day = text((value) => {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(value) && dayOf(value) === value;
  return isDay ? undefined : 'must be a day such as "2027-03-31"';
});

export const exemptionDocument = z.strictObject({
  apiVersion: z.literal('config.portico.dev/v1alpha1'),
  kind: z.literal(KIND),
  metadata: z.object({
    name: z
      .string()
      .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'must have 1 to 63 lower-case letters, digits and -'),
  }),
  spec: z.strictObject({
    guardrails: z.array(z.string().min(1).max(50)).min(1).max(100),
    packages: z.array(glob).min(1).max(100),
    resources: z
      .array(
        z
          .strictObject({
            apiVersion: z.string().min(1).max(253).optional(),
            kind: z.string().min(1).max(63).optional(),
            name: z.string().min(1).max(253).optional(),
            namespace: z.string().min(1).max(63).optional(),
          })
          .refine((one) => Object.keys(one).length > 0, 'must name at least one field'),
      )
      .min(1)
      .max(100)
      .optional(),
    until: day,
    owner: z.string().regex(/^@[\w.-]{1,100}(?:\/[\w.-]{1,100})?$/, 'must be @login or @organization/team'),
    why: z.string().min(10).max(1000),
  }),
});

/** The configuration with the exemptions that stand beside it; their mistakes are mistakes of it. */
export function withExemptions(own: ConfigResult, sources: readonly ConfigSource[]): ConfigResult {
  const { exemptions, problems } = readExemptions(sources, own.config?.guardrails);
  if (own.ok && problems.length === 0)
    return exemptions.length === 0 ? own : { ...own, config: { ...own.config, exemptions } };
  return problems.length === 0
    ? own
    : { ok: false, config: undefined, problems: [...own.problems, ...problems] };
}

interface Guardrails {
  readonly mutators: readonly { readonly name: string }[];
  readonly validators: readonly { readonly name: string }[];
}

function readExemptions(
  sources: readonly ConfigSource[],
  guardrails: Guardrails | undefined,
): { readonly exemptions: readonly Exemption[]; readonly problems: readonly ConfigProblem[] } {
  const exemptions: Exemption[] = [];
  const problems: ConfigProblem[] = [];
  const names = new Set<string>();
  for (const { file, bytes } of sources) {
    if (!/^kind: *["']?PolicyExemption\b/m.test(new TextDecoder().decode(bytes))) continue;
    for (const yaml of readYamlDocuments(file, bytes).documents) {
      if ((yaml.data as { kind?: unknown } | null)?.kind !== KIND) continue;
      const parsed = exemptionDocument.safeParse(yaml.data, { reportInput: true });
      if (!parsed.success) {
        const jsonSchema = (): unknown => z.toJSONSchema(exemptionDocument, { io: 'input' });
        problems.push(
          ...parsed.error.issues.flatMap((issue) =>
            problemsOf({ file, issue, yaml, jsonSchema, reference: 'docs/policies.md' }),
          ),
        );
        continue;
      }
      const { metadata, spec } = parsed.data;
      const tell = (path: (string | number)[], message: string, hint: string): void => {
        problems.push(problemAt(file, yaml, { path, message, hint }));
      };
      if (names.has(metadata.name))
        tell(['metadata', 'name'], `the exemption ${metadata.name} is defined twice`, 'Rename one of them.');
      names.add(metadata.name);
      for (const [at, name] of spec.guardrails.entries()) {
        if (guardrails?.mutators.some((one) => one.name === name) === true)
          tell(
            ['spec', 'guardrails', at],
            `${name} changes packages, and there is nothing to exempt from`,
            'Use paths or labels of the guardrail.',
          );
        else if (guardrails?.validators.every((one) => one.name !== name) === true)
          tell(['spec', 'guardrails', at], `there is no guardrail ${name}`, 'Fix the name, or remove it.');
      }
      if (exemptions.length === MAX_EXEMPTIONS)
        tell([], `there are more than ${MAX_EXEMPTIONS} exemptions`, 'Change the guardrail instead.');
      else exemptions.push(exemptionOf(file, parsed.data));
    }
  }
  return { exemptions: exemptions.slice(0, MAX_EXEMPTIONS), problems };
}

function exemptionOf(file: string, { metadata, spec }: z.infer<typeof exemptionDocument>): Exemption {
  const { guardrails, packages, resources, until, owner, why } = spec;
  const named = resources?.map((one) =>
    Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined)),
  );
  return {
    name: metadata.name,
    file,
    guardrails,
    packages,
    until,
    owner,
    why,
    ...(named && { resources: named }),
  };
}

/** The day of a text that names one, as the calendar has it: the 31st of June is the 1st of July. */
function dayOf(text: string): string {
  const at = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(at) ? '' : new Date(at).toISOString().slice(0, 10);
}

function problemAt(
  file: string,
  yaml: YamlDocument,
  {
    path,
    message,
    hint,
  }: { readonly path: (string | number)[]; readonly message: string; readonly hint: string },
): ConfigProblem {
  return { code: 'wrong-value', file, path: path.join('.'), ...yaml.placeOf(path), message, hint };
}
