/**
 * ValidatingAdmissionPolicy documents as guardrails: admissionregistration.k8s.io v1, v1beta1 and v1alpha1 alike.
 * A policy is in force where a binding names it, as in a cluster; the guardrail is named after the binding.
 */
import type { z } from 'zod';

import { selects, type LabelSelector, type Match } from '../cel/match.ts';
import { compilePolicy, type Policy } from '../cel/policy.ts';
import { labelsOf } from '../cel/review.ts';
import { bindingDocument, policyDocument, type match, type selector } from './admission-schema.ts';
import type { ConfigProblem } from './config-problem.ts';
import type { ConfigResult } from './parse-repository-config.ts';
import { isJson } from './policy-params.ts';
import type { GuardrailConfig } from './repository-config.ts';
import { problemsOf, type ConfigSource } from './repository-document.ts';
import { readYamlDocuments, type YamlDocument } from './yaml-place.ts';

export interface AdmissionGuardrails {
  readonly guardrails: readonly GuardrailConfig[];
  readonly problems: readonly ConfigProblem[];
}

const GROUP = 'admissionregistration.k8s.io/';
/** Documents of one repository's policies, bindings and parameters. */
const MAX_DOCUMENTS = 1000;
/** Resources that one binding's parameters select; each is a guardrail's run. */
const MAX_PARAMS = 20;

/**
 * Reads all documents and binds what belongs together. Kinds that are not of admission count as params only. Never
 * throws: every mistake is a problem with its place.
 */
export function admissionGuardrails(sources: readonly ConfigSource[]): AdmissionGuardrails {
  const { policies, broken, bindings, others, problems } = readAll(sources);
  const guardrails: GuardrailConfig[] = [];
  const found: ConfigProblem[] = [...problems];
  const names = new Set<string>();
  for (const binding of bindings) {
    const { metadata, spec } = binding.value;
    const policy = policies.get(spec.policyName);
    const tell = (path: string[], message: string, hint: string): void => {
      found.push(problemAt(binding, path, message, hint));
    };
    const name = guardrailName(metadata.name);
    if (broken.has(spec.policyName)) continue;
    if (policy === undefined) {
      const hint = 'Add the ValidatingAdmissionPolicy below .github/portico/, or fix the name.';
      tell(['spec', 'policyName'], `there is no policy ${spec.policyName}`, hint);
      continue;
    }
    if (names.has(name)) {
      tell(
        ['metadata', 'name'],
        `the guardrail ${name} is defined twice`,
        'Give each binding a name of its own.',
      );
      continue;
    }
    names.add(name);
    const params = paramsOf(policy.paramKind, spec.paramRef, others);
    if (typeof params === 'string') {
      tell(
        ['spec', 'paramRef'],
        params,
        'Put the resource below .github/portico/, or correct the reference.',
      );
      continue;
    }
    const { matchResources } = spec;
    guardrails.push({
      name,
      mode: modeOf(spec.validationActions),
      admission: {
        file: binding.file,
        policy: {
          ...policy.policy,
          ...(matchResources !== undefined && {
            match: [...(policy.policy.match ?? []), matchOf(matchResources)],
          }),
        },
        params,
      },
    });
  }
  return { guardrails, problems: found };
}

/** A configuration with the guardrails that documents beside it are; their mistakes are mistakes of it. */
export function withAdmission(own: ConfigResult, sources: readonly ConfigSource[]): ConfigResult {
  const { guardrails, problems } = admissionGuardrails(sources);
  const all = [...own.problems, ...problems];
  if (!own.ok || all.length > 0) return { ok: false, config: undefined, problems: all };
  const { mutators, validators } = own.config.guardrails;
  const taken = new Set([...mutators, ...validators].map(({ name }) => name));
  const twice = guardrails.filter(({ name }) => taken.has(name));
  if (twice.length === 0) {
    const joined = { mutators, validators: [...validators, ...guardrails] };
    return { ok: true, config: { ...own.config, guardrails: joined }, problems: [] };
  }
  return {
    ok: false,
    config: undefined,
    problems: twice.map(({ name, admission }) => ({
      code: 'wrong-value',
      file: admission?.file ?? '',
      path: 'metadata.name',
      line: 1,
      column: 1,
      message: `the guardrail ${name} is also defined in the configuration`,
      hint: 'Rename the binding, or the guardrail.',
    })),
  };
}

/** The one policy of a file, for a guardrail that names the file; bindings in it are not looked at. */
export function admissionPolicyIn(
  source: ConfigSource,
): { readonly policy: Policy } | { readonly problems: readonly ConfigProblem[] } {
  const { policies, problems } = readAll([source]);
  const [first, second] = policies.values();
  if (problems.length > 0) return { problems };
  if (first !== undefined && second === undefined) return { policy: first.policy };
  const message = 'the file does not hold exactly one ValidatingAdmissionPolicy';
  const hint = 'Give each policy a file of its own.';
  return {
    problems: [{ code: 'wrong-value', file: source.file, path: '', line: 1, column: 1, message, hint }],
  };
}

type PolicyDocument = z.infer<typeof policyDocument>;
type BindingDocument = z.infer<typeof bindingDocument>;

interface Read<Value> {
  readonly file: string;
  readonly document: YamlDocument;
  readonly value: Value;
}

interface ReadPolicy {
  readonly policy: Policy;
  readonly paramKind: PolicyDocument['spec']['paramKind'];
}

interface Everything {
  readonly policies: Map<string, ReadPolicy>;
  /** Names of policies with mistakes, which have been told. */
  readonly broken: Set<string>;
  readonly bindings: Read<BindingDocument>[];
  readonly others: Record<string, unknown>[];
  readonly problems: ConfigProblem[];
}

function readAll(sources: readonly ConfigSource[]): Everything {
  const all: Everything = { policies: new Map(), broken: new Set(), bindings: [], others: [], problems: [] };
  let left = MAX_DOCUMENTS;
  for (const { file, bytes } of sources) {
    const { documents, problems } = readYamlDocuments(file, bytes);
    all.problems.push(...problems);
    for (const document of documents) {
      if (--left >= 0) readOne(file, document, all);
      else if (left === -1) {
        const message = `there are more than ${MAX_DOCUMENTS} documents`;
        all.problems.push(problemAt({ file, document }, [], message, 'Move some elsewhere.'));
      }
    }
  }
  return all;
}

function readOne(file: string, document: YamlDocument, all: Everything): void {
  const { data } = document;
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return;
  const resource = data as Record<string, unknown>;
  const { apiVersion, kind } = resource;
  const ours = typeof apiVersion === 'string' && apiVersion.startsWith(GROUP);
  if (ours && kind === 'ValidatingAdmissionPolicy') readPolicy(file, document, all);
  else if (ours && kind === 'ValidatingAdmissionPolicyBinding') {
    const parsed = bindingDocument.safeParse(data, { reportInput: true });
    if (parsed.success) all.bindings.push({ file, document, value: parsed.data });
    else
      all.problems.push(
        ...parsed.error.issues.flatMap((issue) => problemsOf({ file, issue, yaml: document })),
      );
  } else all.others.push(resource);
}

function readPolicy(file: string, document: YamlDocument, all: Everything): void {
  const parsed = policyDocument.safeParse(document.data, { reportInput: true });
  if (!parsed.success) {
    all.problems.push(...parsed.error.issues.flatMap((issue) => problemsOf({ file, issue, yaml: document })));
    return;
  }
  const { metadata, spec } = parsed.data;
  const policy = toPolicy(spec);
  const compiled = compilePolicy(policy);
  if (!compiled.ok) {
    all.broken.add(metadata.name);
    for (const { path, message, line, column } of compiled.problems) {
      const place = ['spec', ...written(path)];
      all.problems.push({
        code: 'wrong-value',
        file,
        path: place.join('.'),
        ...document.lineOf(place, line),
        message: `${place.join('.')} is not valid CEL at line ${line}, column ${column}: ${message}`,
        hint: 'Fix the expression; docs/policies.md lists what is available.',
      });
    }
    return;
  }
  if (all.policies.has(metadata.name)) {
    const message = `the policy ${metadata.name} is defined twice`;
    all.problems.push(problemAt({ file, document }, ['metadata', 'name'], message, 'Remove one of them.'));
  } else all.policies.set(metadata.name, { policy, paramKind: spec.paramKind });
}

/** Kubernetes' names of what a policy calls by its own. */
const WRITTEN: Readonly<Record<string, string>> = {
  conditions: 'matchConditions',
  notes: 'auditAnnotations',
};

function written(path: readonly (string | number)[]): (string | number)[] {
  const [first, ...rest] = path;
  const name = typeof first === 'string' ? (WRITTEN[first] ?? first) : (first ?? '');
  return [
    name,
    ...rest.map((part) => (name === 'auditAnnotations' && part === 'expression' ? 'valueExpression' : part)),
  ];
}

function toPolicy(spec: PolicyDocument['spec']): Policy {
  const { matchConstraints, matchConditions, variables, validations, auditAnnotations } = spec;
  const rules = matchConstraints?.resourceRules ?? [];
  return {
    ...(matchConstraints && { match: [matchOf(matchConstraints)] }),
    ...(matchConditions && { conditions: matchConditions }),
    ...(variables && { variables }),
    validations: (validations ?? []).map(({ expression, message, messageExpression }) => ({
      expression,
      ...(message !== undefined && { message: message.trim() }),
      ...(messageExpression !== undefined && { messageExpression }),
    })),
    ...(auditAnnotations && {
      notes: auditAnnotations.map(({ key, valueExpression }) => ({ name: key, expression: valueExpression })),
    }),
    onError: spec.failurePolicy === 'Ignore' ? 'ignore' : 'fail',
    deletions: rules.some(({ operations }) => operations.includes('DELETE') || operations.includes('*')),
  };
}

function matchOf(written: z.infer<typeof match>): Match {
  const { resourceRules, excludeResourceRules, objectSelector, namespaceSelector, matchPolicy } = written;
  // Fields that are absent are undefined in what zod gives, and missing in what matching takes.
  return clean({
    rules: resourceRules,
    excluded: excludeResourceRules,
    objectSelector,
    namespaceSelector,
    exact: matchPolicy === 'Exact',
  }) as Match;
}

function clean(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** Deny is wanted where it is named beside others. */
function modeOf(actions: BindingDocument['spec']['validationActions']): GuardrailConfig['mode'] {
  if (actions.includes('Deny')) return 'enforce';
  return actions.includes('Warn') ? 'warn' : 'dryrun';
}

/** The resources that a binding refers to; a sentence where there are none and there must be. */
function paramsOf(
  kind: PolicyDocument['spec']['paramKind'],
  ref: BindingDocument['spec']['paramRef'],
  others: readonly Record<string, unknown>[],
): unknown[] | string {
  if (kind === undefined) return [null];
  if (ref === undefined) return [null];
  const { name, selector: wanted, parameterNotFoundAction } = ref;
  const found = others.filter((one) => {
    if (one['apiVersion'] !== kind.apiVersion || one['kind'] !== kind.kind) return false;
    const { name: own, namespace, labels } = metadataOf(one);
    if (ref.namespace !== undefined && namespace !== undefined && namespace !== ref.namespace) return false;
    return name !== undefined ? own === name : isSelected(wanted, labels);
  });
  if (found.length > MAX_PARAMS) return `the reference means more than ${MAX_PARAMS} resources`;
  if (!found.every(isJson)) return 'the reference means a resource with .nan or .inf';
  if (found.length > 0) return found;
  return parameterNotFoundAction === 'Allow' ? [] : `there is no ${kind.kind} ${name ?? 'with these labels'}`;
}

function isSelected(
  wanted: z.infer<typeof selector> | undefined,
  labels: Readonly<Record<string, string>>,
): boolean {
  return wanted === undefined || selects(clean(wanted) as LabelSelector, labels);
}

function metadataOf(resource: Record<string, unknown>): {
  readonly name?: unknown;
  readonly namespace?: unknown;
  readonly labels: Readonly<Record<string, string>>;
} {
  const { metadata } = resource;
  const own = typeof metadata === 'object' && metadata !== null ? metadata : {};
  return { ...own, labels: labelsOf(resource) };
}

/** Names of guardrails have no dots. */
function guardrailName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replaceAll(/^-+|-+$/g, '');
}

function problemAt(
  { file, document }: { readonly file: string; readonly document: YamlDocument },
  path: string[],
  message: string,
  hint: string,
): ConfigProblem {
  return { code: 'wrong-value', file, path: path.join('.'), ...document.placeOf(path), message, hint };
}
