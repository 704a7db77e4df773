import type { Position } from './fault.ts';
import { syntaxFault } from './fault.ts';
import { accept, checkTarget, deeper, expect, peek, take, token, unexpected } from './parser.ts';
import type { Parser } from './parser.ts';
import type { Argument, Clause, DictEntry, Expression, Parameter } from './syntax.ts';
import { nameOfToken } from './token.ts';

/** Loosest first; comparisons do not chain. */
const LEVELS: readonly (readonly string[])[] = [
  ['or'],
  ['and'],
  ['not'],
  ['==', '!=', '<', '>', '<=', '>=', 'in', 'not in'],
  ['|'],
  ['^'],
  ['&'],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '//', '%'],
];
const NOT = 2;
const COMPARISON = 3;

/** A chain such as `a + b + c` is as deep as it is long: what runs it goes down one call for each link. */
const MAX_CHAIN = 500;

/** One expression, or several with commas between them, which make a tuple. */
export function readTuple(parser: Parser, inParentheses = false): Expression {
  const first = readExpression(parser);
  if (peek(parser) !== ',') return first;
  const items = [first];
  while (accept(parser, ',') !== undefined) {
    if ([')', 'newline', '=', ';', 'end', ':', '}', ']'].includes(peek(parser))) {
      if (!inParentheses && peek(parser) !== '=')
        throw syntaxFault(parser.file, token(parser).position, 'unparenthesized tuple with trailing comma');
      break;
    }
    items.push(readExpression(parser));
  }
  return { kind: 'tuple', position: first.position, items };
}

export function readExpression(parser: Parser): Expression {
  return deeper(parser, () => {
    const { position } = token(parser);
    if (peek(parser) === 'lambda') return readLambda(parser);
    const value = readBinary(parser, 0);
    if (accept(parser, 'if') === undefined) return value;
    const test = readBinary(parser, 0);
    if (peek(parser) !== 'else')
      throw syntaxFault(parser.file, position, 'conditional expression without else clause');
    take(parser);
    return { kind: 'conditional', position, test, yes: value, no: readExpression(parser) };
  });
}

/** Names that a `for` gives values to. */
export function readTargets(parser: Parser): Expression {
  const first = readPrimary(parser);
  if (peek(parser) !== ',') {
    checkTarget(parser, first);
    return first;
  }
  const items = [first];
  while (accept(parser, ',') !== undefined) {
    if (peek(parser) === 'in') break;
    items.push(readPrimary(parser));
  }
  const target: Expression = { kind: 'tuple', position: first.position, items };
  checkTarget(parser, target);
  return target;
}

export function readParameters(parser: Parser, end: string): Parameter[] {
  const parameters: Parameter[] = [];
  const seen = new Set<string>();
  let star = false;
  let optional = false;
  while (peek(parser) !== end) {
    const { position } = token(parser);
    const last = parameters.at(-1);
    const bad = (message: string): Error => syntaxFault(parser.file, position, message);
    if (last?.kind === '**') throw bad('** parameter must be last');
    if (accept(parser, '**') !== undefined) {
      parameters.push({ kind: '**', position, name: expect(parser, 'name').text, fallback: undefined });
    } else if (accept(parser, '*') !== undefined) {
      if (star) throw bad('multiple * parameters not allowed');
      star = true;
      parameters.push({ kind: '*', position, name: accept(parser, 'name')?.text, fallback: undefined });
    } else {
      const name = expect(parser, 'name').text;
      const fallback = accept(parser, '=') === undefined ? undefined : readExpression(parser);
      if (fallback === undefined && optional && !star)
        throw bad('required parameter may not follow optional');
      optional ||= fallback !== undefined;
      parameters.push({ kind: 'plain', position, name, fallback });
    }
    const name = parameters.at(-1)?.name;
    if (name !== undefined && seen.has(name)) throw bad(`duplicate parameter: ${name}`);
    if (name !== undefined) seen.add(name);
    if (peek(parser) !== end) expect(parser, ',');
  }
  for (const [at, one] of parameters.entries())
    if (one.kind === '*' && one.name === undefined && parameters[at + 1]?.kind !== 'plain')
      throw syntaxFault(parser.file, one.position, 'bare * must be followed by keyword-only parameters');
  return parameters;
}

function readLambda(parser: Parser): Expression {
  const { position } = take(parser);
  const parameters = readParameters(parser, ':');
  expect(parser, ':');
  const value = readExpression(parser);
  const body = [{ kind: 'return', position: value.position, value }] as const;
  return { kind: 'lambda', position, definition: { position, name: 'lambda', parameters, body } };
}

function readBinary(parser: Parser, level: number): Expression {
  const operators = LEVELS[level];
  if (operators === undefined) return readUnary(parser);
  if (level === NOT) {
    if (peek(parser) !== 'not') return readBinary(parser, level + 1);
    const { position } = take(parser);
    return {
      kind: 'unary',
      position,
      operator: 'not',
      operand: deeper(parser, () => readBinary(parser, level)),
    };
  }
  let left = readBinary(parser, level + 1);
  let before: string | undefined;
  for (let links = 0; ; links += 1) {
    const operator = peekOperator(parser);
    if (!operators.includes(operator)) return left;
    const { position } = take(parser);
    if (links > MAX_CHAIN) throw syntaxFault(parser.file, position, 'nested too deeply');
    if (operator === 'not in') take(parser);
    if (level === COMPARISON && before !== undefined)
      throw syntaxFault(parser.file, position, `${before} does not associate with ${operator} (use parens)`);
    before = operator;
    left = { kind: 'binary', position, operator, left, right: readBinary(parser, level + 1) };
  }
}

function peekOperator(parser: Parser): string {
  const { kind } = token(parser);
  return kind === 'not' && parser.tokens[parser.at + 1]?.kind === 'in' ? 'not in' : kind;
}

function readUnary(parser: Parser): Expression {
  const { kind, position } = token(parser);
  if (kind !== '-' && kind !== '+' && kind !== '~') return readPrimary(parser);
  take(parser);
  return { kind: 'unary', position, operator: kind, operand: deeper(parser, () => readUnary(parser)) };
}

/** An operand with what follows it: fields, elements, slices, calls. */
function readPrimary(parser: Parser): Expression {
  let value = readOperand(parser);
  for (let links = 0; ; links += 1) {
    const { kind, position } = token(parser);
    if (kind !== '.' && kind !== '[' && kind !== '(') return value;
    if (links > MAX_CHAIN) throw syntaxFault(parser.file, position, 'nested too deeply');
    take(parser);
    if (kind === '.') value = { kind: 'dot', position, object: value, name: expect(parser, 'name').text };
    else if (kind === '[') value = readSubscript(parser, value, position);
    else value = { kind: 'call', position, callee: value, args: readArguments(parser) };
  }
}

function readSubscript(parser: Parser, object: Expression, position: Position): Expression {
  const bounds: (Expression | undefined)[] = [];
  if (peek(parser) !== ':') {
    const index = readTuple(parser, true);
    if (accept(parser, ']') !== undefined) return { kind: 'index', position, object, index };
    bounds[0] = index;
  }
  for (let at = 1; at <= 2 && accept(parser, ':') !== undefined; at += 1)
    bounds[at] = peek(parser) === ':' || peek(parser) === ']' ? undefined : readExpression(parser);
  expect(parser, ']');
  return { kind: 'slice', position, object, bounds };
}

function readArguments(parser: Parser): Argument[] {
  const args: Argument[] = [];
  const names = new Set<string>();
  while (peek(parser) !== ')') {
    const { kind, position } = token(parser);
    const bad = (message: string): Error => syntaxFault(parser.file, position, message);
    const has = (wanted: Argument['kind']): boolean => args.some((one) => one.kind === wanted);
    if (kind === '*' || kind === '**') {
      take(parser);
      if (has('**') || (kind === '*' && has('*'))) throw bad(`multiple ${kind}args not allowed`);
      args.push({ kind, position, name: '', value: readExpression(parser) });
    } else {
      const value = readExpression(parser);
      if (accept(parser, '=') !== undefined) {
        if (value.kind !== 'name') throw bad('keyword argument must have form name=expr');
        if (has('**')) throw bad('keyword argument may not follow **kwargs');
        if (names.has(value.name)) throw bad(`keyword argument ${JSON.stringify(value.name)} is repeated`);
        names.add(value.name);
        args.push({ kind: 'named', position, name: value.name, value: readExpression(parser) });
      } else {
        if (has('**')) throw bad('positional argument may not follow **kwargs');
        if (has('*')) throw bad('positional argument may not follow *args');
        if (has('named')) throw bad('positional argument may not follow named');
        args.push({ kind: 'positional', position, name: '', value });
      }
    }
    if (peek(parser) !== ')') expect(parser, ',');
  }
  take(parser);
  return args;
}

function readOperand(parser: Parser): Expression {
  const { kind, position, text, number } = token(parser);
  switch (kind) {
    case 'name':
      take(parser);
      return { kind: 'name', position, name: text };
    case 'int':
    case 'float':
      take(parser);
      return { kind: 'literal', position, value: number ?? 0, bytes: false };
    case 'string':
    case 'bytes':
      take(parser);
      if (peek(parser) === 'string') {
        const message = 'got string literal, want newline: strings are joined with +';
        throw syntaxFault(parser.file, token(parser).position, message);
      }
      return { kind: 'literal', position, value: text, bytes: kind === 'bytes' };
    case '[':
      return readList(parser);
    case '{':
      return readDict(parser);
    case '(':
      return readParenthesised(parser);
    default:
      throw unexpected(parser, 'primary expression');
  }
}

function readParenthesised(parser: Parser): Expression {
  const { position } = take(parser);
  if (accept(parser, ')') !== undefined) return { kind: 'tuple', position, items: [] };
  const inner = readTuple(parser, true);
  expect(parser, ')');
  return inner.kind === 'tuple'
    ? { kind: 'paren', position, inner: { ...inner, position } }
    : { kind: 'paren', position, inner };
}

function readList(parser: Parser): Expression {
  const { position } = take(parser);
  if (accept(parser, ']') !== undefined) return { kind: 'list', position, items: [] };
  const first = readExpression(parser);
  if (peek(parser) === 'for') {
    const clauses = readClauses(parser, ']');
    return { kind: 'comprehension', position, body: first, clauses };
  }
  const items = [first];
  while (accept(parser, ',') !== undefined && peek(parser) !== ']') items.push(readExpression(parser));
  expect(parser, ']');
  return { kind: 'list', position, items };
}

function readDict(parser: Parser): Expression {
  const { position } = take(parser);
  if (accept(parser, '}') !== undefined) return { kind: 'dict', position, entries: [] };
  const first = readEntry(parser);
  if (peek(parser) === 'for') {
    const clauses = readClauses(parser, '}');
    return { kind: 'comprehension', position, body: first, clauses };
  }
  const entries = [first];
  while (accept(parser, ',') !== undefined && peek(parser) !== '}') entries.push(readEntry(parser));
  expect(parser, '}');
  return { kind: 'dict', position, entries };
}

function readEntry(parser: Parser): DictEntry {
  const key = readExpression(parser);
  const { position } = expect(parser, ':');
  return { kind: 'entry', position, key, value: readExpression(parser) };
}

function readClauses(parser: Parser, end: string): Clause[] {
  const clauses: Clause[] = [];
  for (;;) {
    const { kind, position } = token(parser);
    if (kind === 'for') {
      take(parser);
      const target = readTargets(parser);
      expect(parser, 'in');
      // An `if` behind it is a clause, not the middle of a conditional expression.
      clauses.push({ kind, position, target, iterable: readBinary(parser, 0) });
    } else if (kind === 'if') {
      take(parser);
      clauses.push({
        kind,
        position,
        test: peek(parser) === 'lambda' ? readLambda(parser) : readBinary(parser, 0),
      });
    } else if (kind === end) {
      take(parser);
      if (clauses.length > 50) throw syntaxFault(parser.file, position, 'nested too deeply');
      return clauses;
    } else {
      throw syntaxFault(parser.file, position, `got ${nameOfToken(kind)}, want '${end}', for, or if`);
    }
  }
}
