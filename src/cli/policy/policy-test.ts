/** `PolicyTest` documents: cases for the guardrails of a configuration. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import { z } from 'zod';

import { isMap, sameData } from '../../cel/apply-configuration.ts';
import { PorticoError } from '../../error.ts';
import type { PackageFiles } from '../../package/package.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import { resourcesOf } from '../../package/render/policy-review.ts';
import type { Finding, Guardrail } from '../../package/render/render-types.ts';
import { demandsOf } from '../guardrails.ts';
import {
  caseResult,
  checked,
  findingText,
  judgeResources,
  NotRun,
  resourceFiles,
  resourceName,
  type CaseResult,
  type Judged,
  type Suite,
  type SuiteTools,
} from './policy-case.ts';

const resource = z.union([z.string(), z.record(z.string(), z.unknown())]);
const policyCase = z.strictObject({
  name: z.string().min(1),
  guardrail: z.string().min(1),
  package: z
    .strictObject({ path: z.string().optional(), labels: z.record(z.string(), z.string()).optional() })
    .optional(),
  resources: z.array(resource).max(1000),
  before: z.array(resource).max(1000).optional(),
  expect: z.enum(['pass', 'fail', 'skip']).default('pass'),
  findings: z
    .array(
      z.strictObject({
        resource: z.string().optional(),
        message: z.string().optional(),
        field: z.string().optional(),
      }),
    )
    .optional(),
  after: z.array(resource).max(1000).optional(),
});
const policyTest = z.strictObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.object({ name: z.string() }),
  spec: z.strictObject({ config: z.string().optional(), cases: z.array(policyCase).min(1).max(1000) }),
});
type PolicyCase = z.infer<typeof policyCase>;

/** Runs the cases of one document. */
export async function runPolicyTest(suite: Suite, tools: SuiteTools): Promise<readonly CaseResult[]> {
  let read: z.infer<typeof policyTest>;
  try {
    read = checked(policyTest, suite.data);
  } catch (error) {
    if (!(error instanceof NotRun)) throw error;
    return [{ name: 'PolicyTest', state: 'not-run', why: [error.message] }];
  }
  const { metadata, spec } = read;
  const results: CaseResult[] = [];
  for (const one of spec.cases) {
    results.push(
      await caseResult(`${metadata.name}: ${one.name}`, () =>
        differences(one, { suite, config: spec.config }, tools),
      ),
    );
  }
  return results;
}

async function differences(
  one: PolicyCase,
  { suite, config }: { readonly suite: Suite; readonly config: string | undefined },
  tools: SuiteTools,
): Promise<readonly string[]> {
  const { path = '.', labels = {} } = one.package ?? {};
  const resources = await resourceFiles(suite.folder, one.resources);
  const before = one.before && (await resourceFiles(suite.folder, one.before));
  const file = config === undefined ? configurationAbove(suite.folder) : resolve(suite.folder, config);
  const { guardrail, runtime } = await guardrailOf(file, { name: one.guardrail, path }, tools);
  if (guardrail === undefined)
    return one.expect === 'skip' ? [] : [`the guardrail is not for the package ${path}: expect: skip`];
  const judged = await judgeResources({
    guardrail,
    resources,
    before,
    place: { path, labels },
    tools: { ...tools, runtime },
  });
  return [
    ...verdict(one.expect, judged),
    ...(one.findings === undefined ? [] : unmatched(one.findings, judged.findings)),
    ...(one.after === undefined ? [] : changes(await resourceFiles(suite.folder, one.after), judged.files)),
  ];
}

/** The guardrail of a configuration; undefined where it is not about the package. @throws NotRun */
async function guardrailOf(
  file: string,
  { name, path }: { readonly name: string; readonly path: string },
  { call, runtime }: SuiteTools,
): Promise<{ readonly guardrail: Guardrail | undefined; readonly runtime: SuiteTools['runtime'] }> {
  const top = dirname(file).endsWith('.github') ? dirname(dirname(file)) : dirname(file);
  const asked = { ...call, text: (option: string) => (option === 'config' ? file : call.text(option)) };
  try {
    const { guardrails, names, foreign } = await demandsOf(asked, join(top, path));
    if (!names.includes(name)) throw new NotRun(`the configuration has no guardrail ${name}.`);
    return {
      guardrail: guardrails.find((one) => one.name === name),
      runtime: runtime.withForeign?.(foreign) ?? runtime,
    };
  } catch (error) {
    if (error instanceof PorticoError) throw new NotRun(`${error.message}. ${error.hint ?? ''}`);
    throw error;
  }
}

function configurationAbove(folder: string): string {
  for (let here = folder; ; here = dirname(here)) {
    const file = join(here, '.github/portico.yaml');
    if (existsSync(file)) return file;
    if (here === dirname(here)) {
      throw new NotRun(
        'there is no .github/portico.yaml above the test: name the configuration in spec.config.',
      );
    }
  }
}

function verdict(expected: PolicyCase['expect'], { findings, about }: Judged): string[] {
  const found = findings.length > 0 ? 'fail' : about?.size === 0 ? 'skip' : 'pass';
  return found === expected ? [] : [`expected ${expected}, and it is ${found}`, ...findings.map(findingText)];
}

type Expected = NonNullable<PolicyCase['findings']>;

/** Each finding that is expected and missing, and each that is there and not expected. */
function unmatched(expected: Expected, found: readonly Finding[]): string[] {
  const left = [...found];
  const missing = expected.flatMap((one) => {
    const at = left.findIndex((finding) => isMeant(one, finding));
    if (at === -1) return [`not found: ${JSON.stringify(one)}`];
    left.splice(at, 1);
    return [];
  });
  return [...missing, ...left.map((finding) => `not expected: ${findingText(finding)}`)];
}

function isMeant({ resource: wanted, message, field }: Expected[number], finding: Finding): boolean {
  const name = resourceName(finding);
  return (
    (wanted === undefined || name === wanted || name.endsWith(`/${wanted}`)) &&
    (message === undefined || finding.message.includes(message)) &&
    (field === undefined || finding.item.field?.path === field)
  );
}

/** Resources that differ from those that are expected, as data: how they are written does not count. */
function changes(expected: PackageFiles, after: PackageFiles): string[] {
  const found = new Map(resources(after).map((one) => [identityOf(one), one]));
  const wanted = resources(expected);
  const names = new Set(wanted.map(identityOf));
  return [
    ...wanted.flatMap((one) => {
      const now = found.get(identityOf(one));
      if (now === undefined) return [`not there afterwards: ${identityOf(one)}`];
      return sameData(now, one) ? [] : [`afterwards, ${identityOf(one)} is ${JSON.stringify(now)}`];
    }),
    ...[...found.keys()].filter((name) => !names.has(name)).map((name) => `not expected afterwards: ${name}`),
  ];
}

function resources(files: PackageFiles): KrmObject[] {
  const Kptfile = { mode: '100644', bytes: new TextEncoder().encode(KPTFILE) } as const;
  return resourcesOf(new Map([['Kptfile', Kptfile], ...files])).filter(({ kind }) => kind !== 'Kptfile');
}

const KPTFILE = 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: test\n';

function identityOf({ kind, metadata }: KrmObject): string {
  const { namespace, name } = isMap(metadata) ? metadata : {};
  return [kind, namespace, name].filter((part) => typeof part === 'string').join('/');
}
