/**
 * Tests of Kyverno (`kyverno-test.yaml`), as far as they are about policies of Kubernetes.
 * Source: Kyverno's documentation of `kyverno test`.
 */
import { parseAllDocuments, stringify } from 'yaml';
import { z } from 'zod';

import { admissionGuardrails, admissionPolicyIn } from '../../config/admission-policy.ts';
import type { GuardrailConfig } from '../../config/repository-config.ts';
import type { PackageFiles } from '../../package/package.ts';
import type { Guardrail } from '../../package/render/render-types.ts';
import {
  caseResult,
  checked,
  findingText,
  judgeResources,
  namedFile,
  NotRun,
  resourceFiles,
  type CaseResult,
  type Suite,
  type SuiteTools,
} from './policy-case.ts';

const result = z.looseObject({
  policy: z.string(),
  rule: z.string().optional(),
  resource: z.string().optional(),
  resources: z.array(z.string()).optional(),
  kind: z.string().optional(),
  result: z.enum(['pass', 'fail', 'skip', 'warn', 'error']).optional(),
  status: z.enum(['pass', 'fail', 'skip', 'warn', 'error']).optional(),
  patchedResource: z.string().optional(),
  patchedResources: z.string().optional(),
});
const kyvernoTest = z.looseObject({
  metadata: z.looseObject({ name: z.string() }).optional(),
  name: z.string().optional(),
  policies: z.array(z.string()).min(1),
  resources: z.array(z.string()).min(1),
  variables: z.unknown().optional(),
  userinfo: z.unknown().optional(),
  exceptions: z.array(z.string()).optional(),
  results: z.array(result).min(1),
});
type Result = z.infer<typeof result>;

const KINDS = {
  ValidatingAdmissionPolicy: 'validator',
  MutatingAdmissionPolicy: 'mutator',
} as const;

/** Runs the results of one file as cases: one for each entry. */
export async function runKyvernoTest(suite: Suite, tools: SuiteTools): Promise<readonly CaseResult[]> {
  let test: z.infer<typeof kyvernoTest>;
  let documents: readonly Document[];
  try {
    test = checked(kyvernoTest, suite.data);
    for (const field of ['variables', 'userinfo', 'exceptions'] as const)
      if (test[field] !== undefined) throw new NotRun(`${field} of Kyverno's tests are not known here.`);
    documents = await policyDocuments(suite.folder, test.policies);
  } catch (error) {
    if (!(error instanceof NotRun)) throw error;
    return [{ name: 'Test', state: 'not-run', why: [error.message] }];
  }
  const name = test.metadata?.name ?? test.name ?? 'Test';
  const results: CaseResult[] = [];
  for (const one of test.results) {
    const title = [name, one.policy, one.rule, namesOf(one).join(', ')].filter(
      (part) => part !== undefined && part !== '',
    );
    results.push(
      await caseResult(title.join(': '), async () => {
        const resources = await resourceFiles(suite.folder, test.resources);
        return differences(one, { suite, resources, guardrails: guardrailsOf(one.policy, documents) }, tools);
      }),
    );
  }
  return results;
}

async function differences(
  one: Result,
  {
    suite,
    resources,
    guardrails,
  }: { readonly suite: Suite; readonly resources: PackageFiles; readonly guardrails: readonly Guardrail[] },
  tools: SuiteTools,
): Promise<readonly string[]> {
  const expected = one.result ?? one.status ?? 'pass';
  if (expected === 'warn' || expected === 'error')
    throw new NotRun(`the result ${expected} is not known here.`);
  if ((one.patchedResource ?? one.patchedResources) !== undefined)
    throw new NotRun(`${suite.file} compares changed resources: write a PolicyTest with after.`);
  const why: string[] = [];
  for (const guardrail of guardrails) {
    const { findings, about } = await judgeResources({ guardrail, resources, tools });
    const failing = new Map(findings.map((finding) => [nameOf(finding.item.resourceRef), finding]));
    const names = new Set([...(about ?? []), ...failing.keys()]);
    const asked = namesOf(one);
    const meant = asked.length > 0 ? asked : [...names];
    for (const name of meant) {
      const isNamed = (full: string): boolean => isMeant(full, name, one.kind);
      const finding = [...failing].find(([full]) => isNamed(full))?.[1];
      const found = finding !== undefined ? 'fail' : [...names].some(isNamed) ? 'pass' : 'skip';
      if (found !== expected)
        why.push(
          `${name}: expected ${expected}, and it is ${found}${finding === undefined ? '' : ` (${findingText(finding)})`}`,
        );
    }
    if (meant.length === 0 && expected !== 'skip') why.push('the policy is about none of the resources');
  }
  return why;
}

function namesOf({ resource, resources }: Result): readonly string[] {
  return resources ?? (resource === undefined ? [] : [resource]);
}

function nameOf(ref: { kind?: string; namespace?: string; name?: string } | undefined): string {
  const { kind = '', namespace = '', name = '' } = ref ?? {};
  return [kind, ...(namespace === '' ? [] : [namespace]), name].join('/');
}

/** Kyverno names a resource by its name, or by namespace and name. */
function isMeant(full: string, name: string, kind: string | undefined): boolean {
  const [of, ...rest] = full.split('/');
  return (kind === undefined || of === kind) && (rest.join('/') === name || rest.at(-1) === name);
}

interface Document {
  readonly data: Readonly<Record<string, unknown>>;
  readonly kind: string;
  readonly name: string;
  readonly of: string;
}

async function policyDocuments(folder: string, files: readonly string[]): Promise<Document[]> {
  const all: Document[] = [];
  for (const file of files) {
    const text = new TextDecoder().decode(await namedFile(folder, file));
    for (const document of parseAllDocuments(text)) {
      const data = document.toJS() as Document['data'] | null;
      if (data === null) continue;
      const { metadata, spec } = data as {
        metadata?: { name?: string };
        spec?: { policyName?: string };
      };
      all.push({ data, kind: String(data['kind']), name: metadata?.name ?? '', of: spec?.policyName ?? '' });
    }
  }
  return all;
}

/** The guardrails that a policy is: one for each of its bindings, or the policy alone where nothing binds it. */
function guardrailsOf(policy: string, documents: readonly Document[]): Guardrail[] {
  const own = documents.filter(({ name, kind }) => name === policy && !kind.endsWith('Binding'));
  const [first] = own;
  if (first === undefined) throw new NotRun(`no file of the test holds the policy ${policy}.`);
  const type = KINDS[first.kind as keyof typeof KINDS] as Guardrail['type'] | undefined;
  if (type === undefined)
    throw new NotRun(
      `${first.kind} is not evaluated here, so that nothing is known of ${policy}. Write it as a ValidatingAdmissionPolicy or MutatingAdmissionPolicy.`,
    );
  const bound = documents.filter(({ kind, of }) => kind === `${first.kind}Binding` && of === policy);
  const others = documents.filter(({ kind }) => !kind.includes('AdmissionPolicy'));
  const text = (some: readonly Document[]): Uint8Array =>
    new TextEncoder().encode(some.map(({ data }) => stringify(data)).join('---\n'));
  if (bound.length === 0) {
    const read = admissionPolicyIn({ file: policy, bytes: text([first]) }, type);
    if ('problems' in read) throw new NotRun(read.problems.map(({ message }) => message).join('; '));
    return [
      { name: policy, type, mode: 'enforce', spec: { name: policy }, policy: read.policy, params: [null] },
    ];
  }
  const source = { file: policy, bytes: text([first, ...bound, ...others]) };
  const { mutators, validators, problems } = admissionGuardrails([source]);
  if (problems.length > 0) throw new NotRun(problems.map(({ message }) => message).join('; '));
  return [...mutators, ...validators].map(({ name, admission }: GuardrailConfig): Guardrail => ({
    name,
    type,
    mode: 'enforce',
    spec: { name },
    ...(admission && { policy: admission.policy, params: admission.params }),
  }));
}
