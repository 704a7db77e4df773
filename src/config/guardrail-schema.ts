/** What an entry of `guardrails` may say. */
import { z } from 'zod';

import { readyPolicy, READY_POLICIES } from '../cel/policies/table.ts';
import { compilePolicy } from '../cel/policy.ts';
import { closestWord } from '../package/closest-word.ts';
import { pathProblem } from '../package/limits.ts';
import { text, shortText, custom } from './checked-text.ts';
import { globProblem } from './glob.ts';
import { plainPath } from './plain-path.ts';
import { isJson, paramProblems } from './policy-params.ts';

const strings = z.record(z.string(), z.string());

const name = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])?$/,
    'must be lower-case letters, digits and dashes, 50 at most',
  )
  .meta({ description: 'Names the check guardrail/<name>.' });

const selector = z
  .strictObject({
    apiVersion: shortText(253).optional(),
    kind: shortText(63).optional(),
    name: shortText(253).optional(),
    namespace: shortText(63).optional(),
    labels: strings.optional(),
    annotations: strings.optional(),
  })
  .meta({ description: 'All fields must match, as in a Kptfile.' });

const common = {
  name,
  configMap: strings.optional().meta({ description: 'Function configuration as strings.' }),
  configPath: text(pathProblem)
    .optional()
    .meta({ description: 'File with the function configuration, from the root of the repository.' }),
  mode: z.enum(['enforce', 'warn', 'dryrun']).optional().meta({
    description:
      'enforce fails the check, warn shows findings, dryrun shows them in a check that always passes.',
    default: 'enforce',
  }),
  paths: z
    .array(text(globProblem))
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'Globs over package paths; without it, every package.' }),
  labels: strings
    .optional()
    .meta({ description: "Labels of the package's Kptfile, now or in the base; without it, every package." }),
  selectors: z
    .array(selector)
    .min(1)
    .max(50)
    .optional()
    .meta({ description: 'Only resources that one of these selects.' }),
  exclude: z
    .array(selector)
    .min(1)
    .max(50)
    .optional()
    .meta({ description: 'Not resources that one of these selects.' }),
};

const image = text((value) => {
  if (/^[A-Za-z0-9][\w.\-/:@]{0,254}$/.test(value)) return undefined;
  return 'must be an image such as set-labels:v0.2 or registry.example.com/fn/check@sha256:…';
}).meta({ description: 'Function image, as in a Kptfile.' });

/** Where definitions of custom resources are read from. */
const crdSource = z
  .strictObject({
    repo: text((value) => (/^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(value) ? undefined : 'must be owner/name'))
      .optional()
      .meta({ description: 'Another repository of this installation; without it, this one.' }),
    path: text((value) => pathProblem(plainPath(value)))
      .optional()
      .meta({ description: 'File or folder, from the root of that repository; without it, all of it.' }),
    ref: text((value) =>
      /^[A-Za-z0-9][\w./@+-]{0,199}$/.test(value) && !value.includes('..')
        ? undefined
        : 'must be a revision such as v3, a tag, a branch or a full commit',
    )
      .optional()
      .meta({
        description:
          'Revision of the package at that path, tag, branch or full commit; without it, the default branch.',
      }),
  })
  .check((ctx) => {
    const { repo, path, ref } = ctx.value;
    if (repo === undefined && path === undefined)
      ctx.issues.push(custom(ctx.value, 'needs repo or path', []));
    if (repo === undefined && ref !== undefined) {
      ctx.issues.push(
        custom(ctx.value, 'belongs to repo: of this repository the base branch counts', ['ref']),
      );
    }
  });

/** What `params` is in a policy. */
const policyParams = z
  .record(z.string(), z.unknown())
  .optional()
  .meta({ description: 'What `params` is in the policy.' });

export const mutator = z
  .strictObject({
    ...common,
    image: image.optional(),
    policyPath: text(pathProblem).optional().meta({
      description: 'File with a MutatingAdmissionPolicy, from the root of the repository.',
    }),
    params: policyParams,
  })
  .check((ctx) => {
    oneConfiguration(ctx.value, ctx.issues);
    const { image: named, policyPath, params } = ctx.value;
    const tell = (path: string[], message: string): void => {
      ctx.issues.push(custom(ctx.value, message, path));
    };
    if ((named === undefined) === (policyPath === undefined)) tell([], 'needs either image or policyPath');
    if (policyPath !== undefined && (ctx.value.configMap ?? ctx.value.configPath) !== undefined)
      tell([], 'must have no configuration next to policyPath: policies use params');
    if (params !== undefined && policyPath === undefined)
      tell(['params'], 'belongs to policyPath; functions have configMap');
    if (params !== undefined && !isJson(params)) tell(['params'], 'has a number that is none: .nan or .inf');
  });

export const validator = z
  .strictObject({
    ...common,
    image: image.optional(),
    cel: shortText(8192).optional().meta({
      description:
        'CEL expression over `object`, and over `resources`, all of the package: true if the object is valid; or a list of problems, each a field path or a map with `field` and `message`.',
    }),
    message: shortText(1024).optional().meta({ description: 'Message if the expression is false.' }),
    messageExpression: shortText(8192)
      .optional()
      .meta({ description: 'CEL expression that gives the message instead.' }),
    field: text((value) =>
      /^[\w.\-/[\]"~]{1,253}$/.test(value) ? undefined : 'must be a path such as spec.replicas',
    )
      .optional()
      .meta({ description: 'Field to report; defaults to the field that the expression reads.' }),
    policy: z
      .string()
      .optional()
      .meta({ description: `A ready-made policy: ${READY_POLICIES.map((one) => one.name).join(', ')}.` }),
    policyPath: text(pathProblem).optional().meta({
      description: 'File with a ValidatingAdmissionPolicy, from the root of the repository.',
    }),
    crds: z.array(crdSource).min(1).max(20).optional().meta({
      description:
        'For kubeconform: locations of custom resource definitions, in addition to those in the package.',
    }),
    rego: text(pathProblem).optional().meta({
      description: 'Rego policy compiled by opa build -t wasm: a file of this repository, from its root.',
    }),
    sha256: text((value) =>
      /^[0-9a-f]{64}$/.test(value)
        ? undefined
        : 'must be the sha256 of the module: 64 lower-case hexadecimal digits',
    )
      .optional()
      .meta({ description: 'Digest of that module; another one does not run.' }),
    entrypoint: text((value) =>
      /^[\w./-]{1,253}$/.test(value) ? undefined : 'must be a rule such as k8s/deny',
    )
      .optional()
      .meta({
        description:
          'Rule of the module that decides; without it, those named deny, violation, warn or allow, or the only one.',
      }),
    params: policyParams,
  })
  .check((ctx) => {
    oneConfiguration(ctx.value, ctx.issues);
    for (const [path, message] of validatorProblems(ctx.value))
      ctx.issues.push(custom(ctx.value, message, path));
    for (const { path, message, line } of celProblems(ctx.value)) {
      ctx.issues.push({ ...custom(ctx.value, message, [path]), params: { line } });
    }
  });

type Validator = Omit<z.infer<typeof validator>, never>;

const JUDGES = ['image', 'cel', 'policy', 'policyPath', 'rego'] as const;

function* validatorProblems(value: Validator): Generator<[string[], string]> {
  const chosen = JUDGES.filter((field) => value[field] !== undefined);
  if (chosen.length !== 1) yield [[], 'needs either image, cel, policy, policyPath or rego'];
  const { cel, policy, params } = value;
  if (value.crds !== undefined && !isSchemaCheck(value.image)) {
    yield [['crds'], 'belongs to image kubeconform only'];
  }
  for (const field of ['message', 'messageExpression', 'field'] as const) {
    if (value[field] !== undefined && cel === undefined) yield [[field], 'belongs to cel only'];
  }
  if (value.image === undefined && (value.configMap ?? value.configPath) !== undefined) {
    yield [[], 'must have no configuration next to cel, policy, policyPath or rego: they use params'];
  }
  if (value.rego === undefined) {
    for (const field of ['sha256', 'entrypoint'] as const) {
      if (value[field] !== undefined) yield [[field], 'belongs to rego only'];
    }
  } else if (value.sha256 === undefined) {
    yield [['sha256'], 'is missing; rego needs it'];
  }
  if (params !== undefined && value.image !== undefined) {
    yield [['params'], 'belongs to cel, policy, policyPath and rego; functions have configMap'];
  }
  if (params !== undefined && !isJson(params)) yield [['params'], 'has a number that is none: .nan or .inf'];
  if (policy === undefined) return;
  const ready = readyPolicy(policy);
  if (ready === undefined) {
    const near = closestWord(
      policy,
      READY_POLICIES.map((one) => one.name),
    );
    yield [['policy'], `is not a ready-made policy${near === undefined ? '' : `; did you mean ${near}`}`];
    return;
  }
  for (const { param, message } of paramProblems(ready, params ?? {})) {
    yield [param === undefined || params === undefined ? ['policy'] : ['params', param], message];
  }
}

/** Mistakes in the expressions, with the line inside of the text. */
function* celProblems({
  cel,
  messageExpression,
}: Validator): Generator<{ path: string; message: string; line: number }> {
  if (cel === undefined) return;
  const read = compilePolicy({
    validations: [{ expression: cel, ...(messageExpression !== undefined && { messageExpression }) }],
    wholePackage: true,
  });
  if (read.ok) return;
  for (const { path, message, line, column } of read.problems) {
    const field = path.at(-1) === 'messageExpression' ? 'messageExpression' : 'cel';
    yield { path: field, message: `is not valid CEL at line ${line}, column ${column}: ${message}`, line };
  }
}

/** True for the function that holds resources against schemas. */
function isSchemaCheck(name: string | undefined): boolean {
  return name !== undefined && /(?:^|\/)kubeconform(?::[^@]*)?$/.test(name);
}

function oneConfiguration(
  value: { readonly configMap?: unknown; readonly configPath?: unknown },
  issues: z.core.$ZodRawIssue[],
): void {
  if (value.configMap === undefined || value.configPath === undefined) return;
  issues.push(custom(value, 'needs configMap or configPath, not both', ['configPath']));
}
