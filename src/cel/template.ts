/** Expressions of PackageVariantSet templates: standard CEL over a few variables, and the result is a text. */
import { celEnv, celMethod, CelScalar, isCelError, parse, plan } from '@bufbuild/cel';
import { RE2JS } from 're2js';

import { mistakesIn } from './names.ts';

/** A YAML value without big integers, as variables hold it. */
export type TemplateVariables = Readonly<Record<string, unknown>>;

export type TemplateAnswer =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly message: string };

/** Names in templates are short, and so is what makes them: longer or looping deeper is refused, not tried. */
const LONGEST = 2_048;
const MOST_LOOPS = 2;
const LONGEST_RESULT = 8_192;

/** What an expression may speak of; the last is not bound where it is about to be named. */
const VARIABLES = ['repoDefault', 'packageDefault', 'upstream', 'target', 'repository'];

const LOOP = /\.\s*(?:all|exists|exists_one|map|filter)\s*\(/g;

const { STRING, BOOL } = CelScalar;

/** Patterns run in linear time, as CEL demands. */
const ENVIRONMENT = celEnv({
  funcs: [
    celMethod('matches', STRING, [STRING], BOOL, function (pattern) {
      return RE2JS.compile(pattern).matcher(this).find();
    }),
  ],
});

/**
 * The text that an expression gives. A mistake in it, a missing key, or a result that is no text is an answer with the
 * reason in cel-go's words where these are known.
 */
export function evaluateTemplate(expression: string, variables: TemplateVariables): TemplateAnswer {
  if (expression.length > LONGEST) return failed(`the expression is longer than ${LONGEST} characters`);
  if ((expression.match(LOOP)?.length ?? 0) > MOST_LOOPS) {
    return failed(`the expression loops more than ${MOST_LOOPS} times`);
  }
  let program: Program | string;
  try {
    program = compiled(expression);
  } catch (error) {
    return failed(`Syntax error: ${messageOf(error)}`);
  }
  if (typeof program === 'string') return failed(program);
  try {
    const result = program(variables as never);
    if (isCelError(result)) return failed(messageOf(result));
    if (typeof result !== 'string') return failed(`the expression gives no string, but ${kindOf(result)}`);
    if (result.length > LONGEST_RESULT)
      return failed(`the result is longer than ${LONGEST_RESULT} characters`);
    return { ok: true, value: result };
  } catch (error) {
    return failed(messageOf(error));
  }
}

type Program = ReturnType<typeof plan>;

/** A set evaluates the same few expressions for each of its targets. */
const MOST_PROGRAMS = 500;
const programs = new Map<string, Program | string>();

/** Or what it speaks of that is not there. */
function compiled(expression: string): Program | string {
  const known = programs.get(expression);
  if (known !== undefined) return known;
  if (programs.size >= MOST_PROGRAMS) programs.clear();
  const parsed = parse(expression);
  const program = undeclared(parsed) ?? plan(ENVIRONMENT, parsed);
  programs.set(expression, program);
  return program;
}

function undeclared({ expr }: ReturnType<typeof parse>): string | undefined {
  if (expr === undefined) return undefined;
  const [mistake] = mistakesIn(expr, ENVIRONMENT, { variables: VARIABLES }).mistakes;
  const name = /^there is no (?:variable|function) ([^;]+)/.exec(mistake?.message ?? '')?.[1];
  return name === undefined ? mistake?.message : `undeclared reference to '${name}' (in container '')`;
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
