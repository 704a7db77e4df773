/** Suites of Gatekeeper (`gator verify`). Source: Gatekeeper's documentation, "The gator CLI". */
import { parseDocument } from 'yaml';
import { z } from 'zod';

import type { Finding, Guardrail } from '../../package/render/render-types.ts';
import { constraintPolicy } from './constraint-template.ts';
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

const suiteDocument = z.looseObject({
  metadata: z.looseObject({ name: z.string() }).optional(),
  skip: z.boolean().optional(),
  tests: z
    .array(
      z.looseObject({
        name: z.string(),
        skip: z.boolean().optional(),
        template: z.string(),
        constraint: z.string(),
        cases: z
          .array(
            z.looseObject({
              name: z.string(),
              skip: z.boolean().optional(),
              object: z.string(),
              inventory: z.array(z.string()).optional(),
              assertions: z
                .array(
                  z.looseObject({
                    violations: z.union([z.enum(['yes', 'no']), z.boolean(), z.int().min(0)]).optional(),
                    message: z.string().optional(),
                  }),
                )
                .optional(),
            }),
          )
          .default([]),
      }),
    )
    .min(1),
});
type Test = z.infer<typeof suiteDocument>['tests'][number];
type Case = Test['cases'][number];
type Assertion = NonNullable<Case['assertions']>[number];

/** Runs the cases of one suite. */
export async function runGatorSuite(suite: Suite, tools: SuiteTools): Promise<readonly CaseResult[]> {
  let document: z.infer<typeof suiteDocument>;
  try {
    document = checked(suiteDocument, suite.data);
  } catch (error) {
    if (!(error instanceof NotRun)) throw error;
    return [{ name: 'Suite', state: 'not-run', why: [error.message] }];
  }
  const results: CaseResult[] = [];
  for (const test of document.tests) {
    for (const one of test.cases) {
      const name = `${test.name}: ${one.name}`;
      if (document.skip === true || test.skip === true || one.skip === true)
        results.push({ name, state: 'skipped' });
      else results.push(await caseResult(name, () => differences(test, one, { suite, tools })));
    }
  }
  return results;
}

async function differences(
  test: Test,
  one: Case,
  { suite, tools }: { readonly suite: Suite; readonly tools: SuiteTools },
): Promise<readonly string[]> {
  const read = async (path: string): Promise<unknown> =>
    parseDocument(new TextDecoder().decode(await namedFile(suite.folder, path))).toJS();
  const object = (await read(one.object)) as { kind?: unknown } | null;
  if (object?.kind === 'AdmissionReview')
    throw new NotRun(`${one.object} is an AdmissionReview, and only resources are judged here.`);
  const { policy, params } = constraintPolicy(await read(test.template), await read(test.constraint));
  const guardrail: Guardrail = {
    name: test.name,
    type: 'validator',
    mode: 'enforce',
    spec: { name: test.name },
    policy,
    params: [params],
  };
  const resources = await resourceFiles(suite.folder, [one.object]);
  const { findings } = await judgeResources({ guardrail, resources, tools });
  return (one.assertions ?? [{ violations: 'yes' }]).flatMap((assertion) => missed(assertion, findings));
}

function missed({ violations = 'yes', message }: Assertion, findings: readonly Finding[]): string[] {
  const pattern = patternOf(message);
  const found = findings.filter((finding) => pattern === undefined || pattern.test(finding.message)).length;
  const holds =
    typeof violations === 'number'
      ? found === violations
      : violations === 'yes' || violations === true
        ? found > 0
        : found === 0;
  if (holds) return [];
  const about = message === undefined ? '' : ` with ${JSON.stringify(message)}`;
  return [
    `expected violations${about}: ${String(violations)}, and there are ${found}`,
    ...findings.map(findingText),
  ];
}

function patternOf(message: string | undefined): RegExp | undefined {
  if (message === undefined) return undefined;
  try {
    return new RegExp(message, 'u');
  } catch {
    throw new NotRun(`${JSON.stringify(message)} is not a regular expression.`);
  }
}
