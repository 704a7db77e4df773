/** A policy as plain data: what `cel:` guardrails, ready-made policies and admission policy documents become. */
import { compile, type CelProblem, type CompileOptions, type Expression } from './compile.ts';
import type { Match } from './match.ts';

export interface Named {
  readonly name: string;
  readonly expression: string;
}

export interface Validation {
  /**
   * True where all is well. Instead of false it may give a list of what is wrong: a field path each, or a map with
   * `field` and `message`.
   */
  readonly expression: string;
  readonly message?: string;
  /** A text; where it fails or is empty, `message` is said. */
  readonly messageExpression?: string;
  /** Field path at which to say it; the field that the expression reads where absent. */
  readonly field?: string;
}

/** A change of the resource: fields to set by Kubernetes' apply, or operations of a JSON patch. */
export interface Mutation {
  readonly kind: 'apply' | 'patch';
  /** Builds an `Object{…}`, or a list of `JSONPatch{…}`. */
  readonly expression: string;
}

export interface Policy {
  /** All have to agree; absent: every resource. */
  readonly match?: readonly Match[];
  /** All have to hold, or the policy is not about the resource. */
  readonly conditions?: readonly Named[];
  /** `variables.<name>`, each may read those before it. */
  readonly variables?: readonly Named[];
  readonly validations: readonly Validation[];
  /** Changes of the resource, one after the other, each of what the one before it left. */
  readonly mutations?: readonly Mutation[];
  /** Its expressions may read `resources`, all resources of the package; no cluster knows them. */
  readonly wholePackage?: boolean;
  /** Notes: a text, or null for none. */
  readonly notes?: readonly Named[];
  /** What an expression that cannot be evaluated means: a violation (the default), or nothing. */
  readonly onError?: 'fail' | 'ignore';
  /** Without an object: a policy about deleted resources judges those too. */
  readonly deletions?: boolean;
}

/** The variables that every policy has. */
const VARIABLES = ['object', 'oldObject', 'params', 'package', 'request', 'namespaceObject'] as const;

/** Only a cluster knows these. */
const ABSENT: Readonly<Record<string, string>> = {
  authorizer: 'authorizer needs a cluster, and no cluster is available here',
  resources:
    'resources, all of the package, is known only to guardrails with cel: a cluster sees one resource at a time',
};

export interface CompiledPolicy {
  readonly policy: Policy;
  readonly conditions: readonly Compiled[];
  readonly variables: readonly Compiled[];
  readonly validations: readonly (Compiled & {
    readonly validation: Validation;
    readonly messageExpression?: Expression;
  })[];
  readonly mutations: readonly (Compiled & { readonly kind: Mutation['kind'] })[];
  readonly notes: readonly Compiled[];
  /** Variables that any of the expressions reads. */
  readonly reads: ReadonlySet<string>;
}

interface Compiled {
  readonly name: string;
  readonly expression: Expression;
}

/** A mistake in a policy: which expression (`validations[0].messageExpression`), and where in it. */
export interface PolicyProblem extends CelProblem {
  readonly path: readonly (string | number)[];
}

/** Reads all expressions of a policy, or says what is wrong with them. Never throws. */
export function compilePolicy(
  policy: Policy,
):
  | { readonly ok: true; readonly compiled: CompiledPolicy }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] } {
  const problems: PolicyProblem[] = [];
  const reads = new Set<string>();
  const computed: string[] = [];

  const variablesKnown = policy.wholePackage === true ? [...VARIABLES, 'resources'] : VARIABLES;

  function read(
    text: string,
    path: (string | number)[],
    builds?: CompileOptions['builds'],
  ): Expression | undefined {
    const result = compile(text, { variables: variablesKnown, computed, ...(builds && { builds }) });
    if (result.ok) {
      for (const name of result.expression.reads) reads.add(name);
      return result.expression;
    }
    const found = result.problems.map((problem) => ({
      ...problem,
      message: explained(problem.message),
      path,
    }));
    // What follows from the one reason need not be reported too.
    const reasons = found.filter(({ message }) => Object.values(ABSENT).includes(message));
    problems.push(...(reasons.length > 0 ? reasons.slice(0, 1) : found));
    return undefined;
  }
  function readAll(list: readonly Named[] | undefined, place: string): Compiled[] {
    return (list ?? []).flatMap(({ name, expression: text }, at) => {
      const expression = read(text, [place, at, 'expression']);
      return expression === undefined ? [] : [{ name, expression }];
    });
  }

  const conditions = readAll(policy.conditions, 'conditions');
  const variables = (policy.variables ?? []).flatMap(({ name, expression: text }, at) => {
    const expression = read(text, ['variables', at, 'expression']);
    computed.push(name);
    return expression === undefined ? [] : [{ name, expression }];
  });
  const validations = policy.validations.flatMap((validation, at) => {
    const expression = read(validation.expression, ['validations', at, 'expression']);
    const { messageExpression: written } = validation;
    const messageExpression =
      written === undefined ? undefined : read(written, ['validations', at, 'messageExpression']);
    return expression === undefined
      ? []
      : [{ name: String(at), expression, validation, ...(messageExpression && { messageExpression }) }];
  });
  const mutations = (policy.mutations ?? []).flatMap(({ kind, expression: text }, at) => {
    const expression = read(text, ['mutations', at, 'expression'], kind);
    return expression === undefined ? [] : [{ name: String(at), kind, expression }];
  });
  const notes = readAll(policy.notes, 'notes');
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, compiled: { policy, conditions, variables, validations, mutations, notes, reads } };
}

/** True where the outcome depends on how the resource was in the base: without it, all of them look new. */
export function readsBase(policy: Policy): boolean {
  const texts = [
    ...[...(policy.conditions ?? []), ...(policy.variables ?? []), ...(policy.notes ?? [])].map(
      (one) => one.expression,
    ),
    ...policy.validations.flatMap((one) => [one.expression, one.messageExpression ?? '']),
    ...(policy.mutations ?? []).map((one) => one.expression),
  ];
  const rules = (policy.match ?? []).flatMap(({ rules = [], excluded = [] }) => [...rules, ...excluded]);
  const chosen = rules.some(
    ({ operations }) => !operations.includes('CREATE') || !operations.includes('UPDATE'),
  );
  return policy.deletions === true || chosen || texts.some((text) => /\b(?:oldObject|request)\b/.test(text));
}

/** True where an expression may read `resources`: only then they are handed over. */
export function readsResources(policy: Policy): boolean {
  return (
    policy.wholePackage === true &&
    policy.validations.some((one) => /\bresources\b/.test(`${one.expression} ${one.messageExpression ?? ''}`))
  );
}

function explained(message: string): string {
  const name = /^there is no (?:variable|function) (\w+)[;.]/.exec(message)?.[1];
  return (name === undefined ? undefined : ABSENT[name]) ?? message;
}
