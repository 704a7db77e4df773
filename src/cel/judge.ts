/** Applies a policy to resources. Pure, but without any limit of time: callers that do not trust it run it elsewhere. */
import { isCelList, isCelMap, type CelValue } from '@bufbuild/cel';

import { shortenValue } from '../text/cut-text.ts';
import { fromCelValue } from './data.ts';
import { evaluationOf, MAX_STEPS, oneLine, packageCase, sharedFacts, type Case } from './evaluation.ts';
import { fieldRead, trimPath } from './field-read.ts';
import { isMatch, type Subject } from './match.ts';
import type { CompiledPolicy } from './policy.ts';
import { changeOf, identityIn, type Change, type ResourceIdentity, type Review } from './review.ts';
import { celBudget, CelCostError } from './work.ts';

/** What a policy says of one resource. */
export interface Remark {
  /** Which of the review's changes it is about; -1: the package as a whole. */
  readonly at: number;
  /** The resource that the policy names, where it is about another one than it looked at. */
  readonly resource?: ResourceIdentity;
  readonly kind: 'violation' | 'error' | 'warning' | 'note' | 'skipped';
  readonly message: string;
  readonly field?: string;
}

/** More are not said of one policy. */
const MAX_REMARKS = 1000;

const MAX_MESSAGE_LENGTH = 2000;

/** Judges every change; the remarks come in the order of the changes. */
export function judge(compiled: CompiledPolicy, review: Review): Remark[] {
  const shared = sharedFacts(review);
  const remarks: Remark[] = [];
  const budget = celBudget(MAX_STEPS);
  for (const { at, change, subject } of casesOf(compiled, review)) {
    try {
      for (const remark of judgeOne(compiled, { change, subject, shared, budget })) {
        remarks.push({ at, ...remark, message: shortenValue(remark.message, MAX_MESSAGE_LENGTH) });
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

/** What is judged: each change that the policy is about, or the package, once, where the policy reads nothing else. */
function* casesOf(
  compiled: CompiledPolicy,
  review: Review,
): Generator<{ readonly at: number; readonly change: Change; readonly subject: Subject }> {
  if (isAboutPackage(compiled)) {
    if (review.resources !== undefined) yield { at: -1, ...packageCase(review) };
    return;
  }
  for (const [at, change] of review.changes.entries()) {
    if (change.object === null && compiled.policy.deletions !== true) continue;
    const subject = changeOf(change, review.namespaces);
    if ((compiled.policy.match ?? []).every((match) => isMatch(match, subject)))
      yield { at, change, subject };
  }
}

function isAboutPackage({ policy, reads }: CompiledPolicy): boolean {
  const ofOne = ['object', 'oldObject', 'request', 'namespaceObject'];
  return policy.wholePackage === true && reads.has('resources') && !ofOne.some((name) => reads.has(name));
}

type Located = Omit<Remark, 'at'>;

function* judgeOne(compiled: CompiledPolicy, asked: Case): Generator<Located> {
  const { change, subject } = asked;
  const { run, conditions, onError } = evaluationOf(compiled, asked);
  const stand = conditions();
  if (stand !== true) {
    if (stand !== false) yield* stand;
    return;
  }

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
      const named = fromCelValue(one) as { field?: unknown; message?: unknown; resource?: unknown };
      const { field, message: text } = named;
      const resource = identityIn(named.resource);
      yield {
        kind: 'violation',
        message: typeof text === 'string' ? text : message(),
        ...(resource && { resource }),
        ...(typeof field === 'string' ? { field } : resource === undefined && at),
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
