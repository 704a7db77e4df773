/** Expressions of PackageVariantSet templates: standard CEL over a few variables, and the result is a text. */
import { celEnv, isCelError, parse, plan } from '@bufbuild/cel';

import { additions } from './library/lists.ts';
import { patterns } from './library/regex.ts';
import { mistakesIn } from './names.ts';
import { celBudget, CelCostError, counted, turn, within, work, type CelBudget } from './work.ts';

/** A YAML value without big integers, as variables hold it. */
export type TemplateVariables = Readonly<Record<string, unknown>>;

export type TemplateAnswer =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly message: string };

/** Names in templates are short, and so is what makes them: longer or looping deeper is refused, not tried. */
const MAX_LENGTH = 2_048;
const MAX_LOOPS = 2;
const MAX_RESULT_LENGTH = 8_192;

/** Steps that all expressions of one set may take together: about a second of a processor. */
const MAX_STEPS = 5_000_000;

/** For all expressions that are evaluated together, such as those of a set for all of its targets. */
export function templateBudget(): CelBudget {
  return celBudget(MAX_STEPS);
}

/** What an expression may speak of; the last is not bound where it is about to be named. */
const VARIABLES = ['repoDefault', 'packageDefault', 'upstream', 'target', 'repository'];

/** CEL's own functions; those whose work grows with what they are given count it. */
const ENVIRONMENT = celEnv({ funcs: [turn, ...additions, ...patterns] });

/**
 * The text that an expression gives. A mistake in it, a missing key, or a result that is no text is an answer with the
 * reason in cel-go's words where these are known.
 */
export function evaluateTemplate(
  expression: string,
  variables: TemplateVariables,
  budget: CelBudget = templateBudget(),
): TemplateAnswer {
  if (expression.length > MAX_LENGTH) return failed(`the expression is longer than ${MAX_LENGTH} characters`);
  let program: Program | string;
  try {
    program = compiled(expression);
  } catch (error) {
    return failed(`Syntax error: ${messageOf(error)}`);
  }
  if (typeof program === 'string') return failed(program);
  try {
    const { run, size } = program;
    // Each part may look at all that stands in the variables, and in a loop so at each turn.
    const each = 1 + (charactersIn(variables) >> 10);
    const evaluate = (): ReturnType<typeof run> => {
      work(size * each);
      return run(variables as never);
    };
    const result = within(budget, evaluate, each);
    if (isCelError(result)) return failed(messageOf(result));
    if (typeof result !== 'string')
      return failed(`the expression returns ${kindOf(result)} instead of a string`);
    if (result.length > MAX_RESULT_LENGTH)
      return failed(`the result is longer than ${MAX_RESULT_LENGTH} characters`);
    return { ok: true, value: result };
  } catch (error) {
    return failed(
      error instanceof CelCostError ? `the expression costs too much: ${error.message}` : messageOf(error),
    );
  }
}

interface Program {
  readonly run: ReturnType<typeof plan>;
  /** Parts of the expression. */
  readonly size: number;
}

/** A set evaluates the same few expressions for each of its targets. */
const MAX_PROGRAMS = 500;
const programs = new Map<string, Program | string>();

/** Or what it speaks of that is not there. */
function compiled(expression: string): Program | string {
  const known = programs.get(expression);
  if (known !== undefined) return known;
  if (programs.size >= MAX_PROGRAMS) programs.clear();
  const parsed = parse(expression);
  const program = undeclared(parsed) ?? planned(parsed);
  programs.set(expression, program);
  return program;
}

/** Loops are counted in the syntax tree: in the text they can be spelled in many ways. */
function planned({ expr }: ReturnType<typeof parse>): Program | string {
  if (expr === undefined) return 'the expression is empty';
  const { root, loops, size } = counted(expr);
  if (loops > MAX_LOOPS) return `the expression loops more than ${MAX_LOOPS} times`;
  return { run: plan(ENVIRONMENT, root), size };
}

function undeclared({ expr }: ReturnType<typeof parse>): string | undefined {
  if (expr === undefined) return undefined;
  const [mistake] = mistakesIn(expr, ENVIRONMENT, { variables: VARIABLES }).mistakes;
  const name = /^there is no (?:variable|function) ([^;]+)/.exec(mistake?.message ?? '')?.[1];
  return name === undefined ? mistake?.message : `undeclared reference to '${name}' (in container '')`;
}

/** Characters of a value with its keys. */
function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  return Object.entries(value).reduce((sum, [key, one]) => sum + key.length + charactersIn(one), 1);
}

function failed(message: string): TemplateAnswer {
  return { ok: false, message };
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String((error as { message?: unknown }).message);
  if (message === 'unresolved attribute') return 'no such attribute(s): repository';
  return message.replace(/^field not found: /, 'no such key: ').split('\n')[0] ?? message;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'bigint' ? 'a number' : `a ${typeof value}`;
}
