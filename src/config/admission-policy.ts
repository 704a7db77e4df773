/**
 * ValidatingAdmissionPolicy and MutatingAdmissionPolicy documents as guardrails: admissionregistration.k8s.io v1, v1beta1
 * and v1alpha1 alike. A policy is in force where a binding names it, as in a cluster; the guardrail is named after the
 * binding.
 */
import type { z } from 'zod';

import { compilePolicy, type Policy } from '../cel/policy.ts';
import { paramsOf } from './admission-params.ts';
import { matchOf, mutatingPolicy, validatingPolicy } from './admission-rules.ts';
import {
  bindingDocument,
  mutatingBindingDocument,
  mutatingPolicyDocument,
  policyDocument,
} from './admission-schema.ts';
import type { ConfigProblem } from './config-problem.ts';
import type { ConfigResult } from './parse-repository-config.ts';
import type { GuardrailConfig } from './repository-config.ts';
import { problemsOf, type ConfigSource } from './repository-document.ts';
import { readYamlDocuments, type YamlDocument } from './yaml-place.ts';

export interface AdmissionGuardrails {
  readonly mutators: readonly GuardrailConfig[];
  readonly validators: readonly GuardrailConfig[];
  readonly problems: readonly ConfigProblem[];
}

const GROUP = 'admissionregistration.k8s.io/';
/** Documents of one repository's policies, bindings and parameters. */
const MAX_DOCUMENTS = 1000;

/**
 * Reads all documents and binds what belongs together. Kinds that are not of admission count as params only. Never
 * throws: every mistake is a problem with its place.
 */
export function admissionGuardrails(sources: readonly ConfigSource[]): AdmissionGuardrails {
  const { policies, broken, bindings, others, problems } = readAll(sources);
  const guardrails = { mutator: [] as GuardrailConfig[], validator: [] as GuardrailConfig[] };
  const found: ConfigProblem[] = [...problems];
  const names = new Set<string>();
  for (const binding of bindings) {
    const { type, metadata, spec } = binding.value;
    const id = `${type} ${spec.policyName}`;
    const policy = policies.get(id);
    const tell = (path: string[], message: string, hint: string): void => {
      found.push(problemAt(binding, path, message, hint));
    };
    const name = guardrailName(metadata.name);
    if (broken.has(id)) continue;
    if (policy === undefined) {
      const hint = `Add the ${POLICY_KIND[type]} below .github/portico/, or fix the name.`;
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
    guardrails[type].push({
      name,
      // A cluster applies what a mutating policy says wherever it is bound.
      mode: spec.validationActions === undefined ? 'enforce' : modeOf(spec.validationActions),
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
  return { mutators: guardrails.mutator, validators: guardrails.validator, problems: found };
}

/** A configuration with the guardrails that documents beside it are; their mistakes are mistakes of it. */
export function withAdmission(own: ConfigResult, sources: readonly ConfigSource[]): ConfigResult {
  const { problems, ...bound } = admissionGuardrails(sources);
  const all = [...own.problems, ...problems];
  if (!own.ok || all.length > 0) return { ok: false, config: undefined, problems: all };
  const { mutators, validators } = own.config.guardrails;
  const taken = new Set([...mutators, ...validators].map(({ name }) => name));
  const twice = [...bound.mutators, ...bound.validators].filter(({ name }) => taken.has(name));
  if (twice.length === 0) {
    const joined = {
      mutators: [...mutators, ...bound.mutators],
      validators: [...validators, ...bound.validators],
    };
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
  type: PolicyType,
): { readonly policy: Policy } | { readonly problems: readonly ConfigProblem[] } {
  const { policies, problems } = readAll([source]);
  const [first, second] = [...policies].flatMap(([id, one]) => (id.startsWith(`${type} `) ? [one] : []));
  if (problems.length > 0) return { problems };
  if (first !== undefined && second === undefined) return { policy: first.policy };
  const message = `the file does not hold exactly one ${POLICY_KIND[type]}`;
  const hint = 'Give each policy a file of its own.';
  return {
    problems: [{ code: 'wrong-value', file: source.file, path: '', line: 1, column: 1, message, hint }],
  };
}

/** What a guardrail does that a document describes. */
export type PolicyType = 'mutator' | 'validator';

const POLICY_KIND = { mutator: 'MutatingAdmissionPolicy', validator: 'ValidatingAdmissionPolicy' } as const;

type PolicyDocument = z.infer<typeof policyDocument>;

/** Of a policy that changes resources there is nothing to be done but that. */
interface BindingDocument {
  readonly type: PolicyType;
  readonly metadata: { readonly name: string };
  readonly spec: Omit<z.infer<typeof bindingDocument>['spec'], 'validationActions'> & {
    readonly validationActions?: z.infer<typeof bindingDocument>['spec']['validationActions'];
  };
}

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
  /** By type and name: a policy of either type may have the name of one of the other. */
  readonly policies: Map<string, ReadPolicy>;
  /** Types and names of policies with mistakes, which have been told. */
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
  const type = ours ? typeOf(String(kind)) : undefined;
  if (type === undefined) all.others.push(resource);
  else if (kind === POLICY_KIND[type]) readPolicy(type, { file, document }, all);
  else {
    const schema = type === 'validator' ? bindingDocument : mutatingBindingDocument;
    const parsed = schema.safeParse(data, { reportInput: true });
    if (parsed.success) all.bindings.push({ file, document, value: { type, ...parsed.data } });
    else
      all.problems.push(
        ...parsed.error.issues.flatMap((issue) => problemsOf({ file, issue, yaml: document })),
      );
  }
}

/** Whether a kind is a policy or a binding of one of the types. */
function typeOf(kind: string): PolicyType | undefined {
  return (['mutator', 'validator'] as const).find(
    (type) => kind === POLICY_KIND[type] || kind === `${POLICY_KIND[type]}Binding`,
  );
}

function readPolicy(
  type: PolicyType,
  { file, document }: { readonly file: string; readonly document: YamlDocument },
  all: Everything,
): void {
  const read = type === 'validator' ? readValidating(document.data) : readMutating(document.data);
  if (!read.success) {
    all.problems.push(...read.error.issues.flatMap((issue) => problemsOf({ file, issue, yaml: document })));
    return;
  }
  const { policy, metadata, paramKind } = read;
  const id = `${type} ${metadata.name}`;
  const compiled = compilePolicy(policy);
  if (!compiled.ok) {
    all.broken.add(id);
    for (const { path, message, line, column } of compiled.problems) {
      const place = ['spec', ...written(path, document)];
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
  if (all.policies.has(id)) {
    const message = `the policy ${metadata.name} is defined twice`;
    all.problems.push(problemAt({ file, document }, ['metadata', 'name'], message, 'Remove one of them.'));
  } else all.policies.set(id, { policy, paramKind });
}

function readValidating(data: unknown) {
  const parsed = policyDocument.safeParse(data, { reportInput: true });
  if (!parsed.success) return parsed;
  const { metadata, spec } = parsed.data;
  return { success: true as const, metadata, paramKind: spec.paramKind, policy: validatingPolicy(spec) };
}

function readMutating(data: unknown) {
  const parsed = mutatingPolicyDocument.safeParse(data, { reportInput: true });
  if (!parsed.success) return parsed;
  const { metadata, spec } = parsed.data;
  return { success: true as const, metadata, paramKind: spec.paramKind, policy: mutatingPolicy(spec) };
}

/** Kubernetes' names of what a policy calls by its own. */
const WRITTEN: Readonly<Record<string, string>> = {
  conditions: 'matchConditions',
  notes: 'auditAnnotations',
};

function written(path: readonly (string | number)[], { data }: YamlDocument): (string | number)[] {
  const [first, ...rest] = path;
  if (first === 'mutations') {
    const { mutations = [] } = (data as { spec: { mutations?: { jsonPatch?: unknown }[] } }).spec;
    const [at = 0, ...field] = rest;
    const how = mutations[Number(at)]?.jsonPatch === undefined ? 'applyConfiguration' : 'jsonPatch';
    return ['mutations', at, how, ...field];
  }
  const name = typeof first === 'string' ? (WRITTEN[first] ?? first) : (first ?? '');
  return [
    name,
    ...rest.map((part) => (name === 'auditAnnotations' && part === 'expression' ? 'valueExpression' : part)),
  ];
}

/** Deny is wanted where it is named beside others. */
function modeOf(actions: readonly string[]): GuardrailConfig['mode'] {
  if (actions.includes('Deny')) return 'enforce';
  return actions.includes('Warn') ? 'warn' : 'dryrun';
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
