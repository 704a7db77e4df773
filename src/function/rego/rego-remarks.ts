/** What a Rego policy gave → remarks about the resources it was asked about. */
import type { Remark } from '../../cel/judge.ts';
import { shortenValue } from '../../text/cut-text.ts';
import type { RegoAnswer } from './rego-child.ts';

/** More are not said of one policy. */
const MAX_REMARKS = 1000;
const MAX_MESSAGE_LENGTH = 2000;

type Located = Omit<Remark, 'at'>;

/**
 * A rule gives texts, or objects with `msg` (or `message`) and `field`; `deny` and `violation` are errors, `warn` is a
 * warning. `allow` gives true where all is well, and is undefined or false where not; `deny` and `violation` may give
 * true where not. A whole package as entrypoint gives all of these by name. Anything else is a mistake of the policy.
 */
export function remarksOf(answer: RegoAnswer): Remark[] {
  const remarks: Remark[] = [];
  for (const [at, gave] of answer.entries()) {
    for (const [entrypoint, value] of Object.entries(gave)) {
      for (const decision of decided(entrypoint.slice(entrypoint.lastIndexOf('/') + 1), value)) {
        if (remarks.length >= MAX_REMARKS) {
          const message = `Only the first ${MAX_REMARKS} findings are shown.`;
          return [...remarks, { at, kind: 'error', message }];
        }
        remarks.push({ at, ...decision, message: shortenValue(decision.message, MAX_MESSAGE_LENGTH) });
      }
    }
  }
  return remarks;
}

function* decided(rule: string, value: unknown, inPackage = false): Generator<Located> {
  const kind = rule === 'warn' ? 'warning' : 'violation';
  // A rule without default is undefined where its conditions do not hold.
  if (value === null && rule !== 'allow') return;
  if (Array.isArray(value)) {
    for (const one of value) yield remarkOf(kind, rule, one);
    return;
  }
  if (typeof value === 'boolean' || value === null) {
    if (rule === 'allow' && value !== true) yield { kind, message: 'the policy does not allow it' };
    else if (rule !== 'allow' && rule !== 'deny' && !rule.startsWith('violation') && rule !== 'warn')
      yield odd(rule, value);
    else if (rule !== 'allow' && value) yield { kind, message: `the rule ${rule} is true` };
    return;
  }
  if (typeof value !== 'object' || inPackage) return yield odd(rule, value);
  const rules = Object.entries(value).filter(([name]) => RULES.has(name));
  if (rules.length === 0) return yield odd(rule, value);
  for (const [name, found] of rules) yield* decided(name, found, true);
}

const RULES = new Set(['deny', 'violation', 'violations', 'warn', 'allow']);

function remarkOf(kind: Located['kind'], rule: string, one: unknown): Located {
  if (typeof one === 'string') return { kind, message: one };
  if (typeof one !== 'object' || one === null) return odd(rule, one);
  const { msg, message = msg, field, details } = one as Record<string, unknown>;
  if (typeof message !== 'string') return odd(rule, one);
  const inDetails =
    typeof details === 'object' && details !== null && 'field' in details ? details.field : undefined;
  const path = pathOf(field ?? inDetails);
  return { kind, message, ...(path !== undefined && { field: path }) };
}

/** A path as text, or as the list of its steps. */
function pathOf(field: unknown): string | undefined {
  if (typeof field === 'string') return field;
  if (!Array.isArray(field)) return undefined;
  const steps: readonly unknown[] = field;
  return steps
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
}

function odd(rule: string, value: unknown): Located {
  const shown = shortenValue(JSON.stringify(value) ?? 'nothing', 200);
  return {
    kind: 'error',
    message: `the rule ${rule} gives ${shown}: it must give a set of texts, or of objects with msg`,
  };
}
