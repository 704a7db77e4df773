/** Applies a policy to resources. Pure, but without any limit of time: callers that do not trust it run it elsewhere. */
import { celError, isCelList, isCelMap, type CelInput, type CelResult, type CelValue } from '@bufbuild/cel';

import type { Expression } from './compile.ts';
import { fromCelValue, toCelInput } from './data.ts';
import { fieldRead, trimPath } from './field-read.ts';
import { isMatch, type Subject } from './match.ts';
import type { CompiledPolicy } from './policy.ts';
import { changeOf, facts, type Change, type Review } from './review.ts';
import { celBudget, CelCostError, within, work, type CelBudget } from './work.ts';

/** What a policy says of one resource. */
export interface Remark {
  /** Which of the review's changes it is about. */
  readonly at: number;
  readonly kind: 'violation' | 'error' | 'warning' | 'note' | 'skipped';
  readonly message: string;
  readonly field?: string;
}

/** More are not said of one policy. */
const MAX_REMARKS = 1000;

/**
 * Steps of all expressions of one policy over all resources of one package: about two seconds of a processor. The
 * heaviest of the ready-made policies takes some hundred a resource.
 */
const MAX_STEPS = 10_000_000;

const MAX_MESSAGE_LENGTH = 2000;

/** Judges every change; the remarks come in the order of the changes. */
export function judge(compiled: CompiledPolicy, review: Review): Remark[] {
  const shared = {
    params: toCelInput(review.params ?? null),
    package: toCelInput(review.package),
  };
  const remarks: Remark[] = [];
  const budget = celBudget(MAX_STEPS);
  for (const [at, change] of review.changes.entries()) {
    if (change.object === null && compiled.policy.deletions !== true) continue;
    const subject = changeOf(change, review.namespaces);
    if (!(compiled.policy.match ?? []).every((match) => isMatch(match, subject))) continue;
    try {
      for (const remark of judgeOne(compiled, { change, subject, shared, budget })) {
        remarks.push({ at, ...remark, message: remark.message.slice(0, MAX_MESSAGE_LENGTH) });
        if (remarks.length >= MAX_REMARKS) {
          const message = `Only the first ${MAX_REMARKS} findings are shown.`;
          return [...remarks, { at, kind: 'error', message }];
        }
      }
    } catch (error) {
      if (!(error instanceof CelCostError)) throw error;
      // Whatever the policy says of errors: what was not judged is not right.
      const message = `The policy was not judged from here on: ${error.message}. Make its expressions cheaper, or split the package.`;
      return [...remarks, { at, kind: 'error', message }];
    }
  }
  return remarks;
}

type Located = Omit<Remark, 'at'>;

interface Case {
  readonly change: Change;
  readonly subject: Subject;
  readonly shared: Readonly<Record<string, CelInput>>;
  readonly budget: CelBudget;
}

function* judgeOne(compiled: CompiledPolicy, { change, subject, shared, budget }: Case): Generator<Located> {
  const { policy } = compiled;
  const values = { ...facts(change, subject), ...shared };
  const variables: Record<string, CelInput> = withComputed(values, compiled);
  const onError = (what: string, error: unknown): Located[] => {
    if (policy.onError === 'ignore') return [];
    return [{ kind: 'error', message: `${what} could not be evaluated: ${textOf(error)}` }];
  };

  const run = (expression: Expression): CelValue =>
    within(budget, () => {
      work(1);
      return expression.evaluate(variables);
    });
  const failed: Located[] = [];
  for (const { name, expression } of compiled.conditions) {
    try {
      if (run(expression) !== true) return;
    } catch (error) {
      if (error instanceof CelCostError) throw error;
      failed.push(...onError(`the condition ${name}`, error));
      if (policy.onError === 'ignore') return;
    }
  }
  // A condition that is false wins over one that cannot be evaluated.
  if (failed.length > 0) return yield* failed;

  for (const { expression, validation, messageExpression } of compiled.validations) {
    const field = validation.field ?? trimPath(fieldRead(expression.root), change.object ?? change.oldObject);
    const at = field === '' ? {} : { field };
    if (unknownNamespace(expression.reads, change, subject)) {
      const message = `not judged: the package does not hold the Namespace ${subject.namespace}, whose fields the policy reads`;
      yield { kind: 'skipped', message, ...at };
      continue;
    }
    try {
      const result = run(expression);
      const message = (): string => {
        const text = messageExpression && textFrom(() => run(messageExpression));
        return text ?? validation.message ?? `failed expression: ${oneLine(expression.text)}`;
      };
      yield* violations(result, message, at);
    } catch (error) {
      if (error instanceof CelCostError) throw error;
      yield* onError(`the expression ${oneLine(expression.text)}`, error).map((remark) => ({
        ...remark,
        ...at,
      }));
    }
  }
  for (const { name, expression } of compiled.notes) {
    const text = textFrom(() => run(expression));
    if (text !== undefined) yield { kind: 'note', message: `${name}: ${text}` };
  }
}

/** `variables.<name>` are evaluated when they are first read, once a resource. */
function withComputed(
  values: Readonly<Record<string, CelInput>>,
  { variables }: CompiledPolicy,
): Record<string, CelInput> {
  const all: Record<string, CelInput> = { ...values };
  for (const { name, expression } of variables) {
    let known: CelResult<CelInput> | undefined;
    Object.defineProperty(all, `variables.${name}`, {
      enumerable: false,
      get: () => {
        if (known !== undefined) return known;
        try {
          known = expression.evaluate(all);
        } catch (error) {
          // An error is a value too: `true || variables.broken` is true.
          known = celError(`variables.${name}: ${textOf(error)}`);
        }
        return known;
      },
    });
  }
  return all;
}

function* violations(
  result: CelValue,
  message: () => string,
  at: { readonly field?: string },
): Generator<Located> {
  if (result === true) return;
  if (result === false) return yield { kind: 'violation', message: message(), ...at };
  if (!isCelList(result)) throw new Error('it returns neither a boolean nor a list of problems');
  for (const one of result) {
    if (typeof one === 'string') yield { kind: 'violation', message: message(), field: one };
    else if (isCelMap(one)) {
      const { field, message: text } = fromCelValue(one) as { field?: unknown; message?: unknown };
      yield {
        kind: 'violation',
        message: typeof text === 'string' ? text : message(),
        ...(typeof field === 'string' ? { field } : at),
      };
    } else throw new Error('its list holds something that is neither a field path nor a map');
  }
}

/** As Kubernetes has it: a text of one line that is not blank, or nothing. */
function textFrom(evaluate: () => CelValue): string | undefined {
  try {
    const value = evaluate();
    return typeof value === 'string' && value.trim() !== '' && !value.includes('\n') ? value : undefined;
  } catch (error) {
    if (error instanceof CelCostError) throw error;
    return undefined;
  }
}

/** The namespace of a resource matters to the expression, and the package does not hold it. */
function unknownNamespace(reads: ReadonlySet<string>, { namespace }: Change, subject: Subject): boolean {
  return reads.has('namespaceObject') && (namespace ?? null) === null && subject.namespace !== '';
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
