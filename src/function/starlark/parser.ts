import { readExpression, readParameters, readTargets, readTuple } from './expression-parser.ts';
import { syntaxFault } from './fault.ts';
import { readTokens } from './lexer.ts';
import type { Definition, Expression, Statement } from './syntax.ts';
import type { Token } from './token.ts';
import { nameOfToken } from './token.ts';

/** How deep blocks and expressions may be nested: what reads and runs them calls itself. */
const MAX_DEPTH = 100;

export interface Parser {
  readonly file: string;
  readonly tokens: readonly Token[];
  at: number;
  depth: number;
}

/**
 * Reads a script into its syntax tree.
 * @throws PorticoError STARLARK_SYNTAX with the place
 */
export function parseScript(file: string, text: string): Statement[] {
  const parser: Parser = { file, tokens: readTokens(file, text), at: 0, depth: 0 };
  const statements: Statement[] = [];
  while (peek(parser) !== 'end') {
    if (accept(parser, 'newline') === undefined) readStatement(parser, statements);
  }
  return statements;
}

export function peek(parser: Parser): string {
  return token(parser).kind;
}

export function token(parser: Parser): Token {
  return parser.tokens[Math.min(parser.at, parser.tokens.length - 1)] as Token;
}

export function take(parser: Parser): Token {
  const taken = token(parser);
  parser.at += 1;
  return taken;
}

export function accept(parser: Parser, kind: string): Token | undefined {
  return peek(parser) === kind ? take(parser) : undefined;
}

export function expect(parser: Parser, kind: string): Token {
  if (peek(parser) !== kind) throw unexpected(parser, nameOfToken(kind));
  return take(parser);
}

export function unexpected(parser: Parser, wanted: string): Error {
  const { kind, position } = token(parser);
  return syntaxFault(parser.file, position, `got ${nameOfToken(kind)}, want ${wanted}`);
}

/** Runs a reader one level deeper. */
export function deeper<Result>(parser: Parser, read: () => Result): Result {
  parser.depth += 1;
  if (parser.depth > MAX_DEPTH) throw syntaxFault(parser.file, token(parser).position, 'nested too deeply');
  const result = read();
  parser.depth -= 1;
  return result;
}

function readStatement(parser: Parser, into: Statement[]): void {
  const { kind } = token(parser);
  if (kind === 'def') into.push(readDef(parser));
  else if (kind === 'if') into.push(deeper(parser, () => readIf(parser)));
  else if (kind === 'for') into.push(readFor(parser));
  else if (kind === 'while') into.push(readWhile(parser));
  else readSimpleLine(parser, into);
}

function readSimpleLine(parser: Parser, into: Statement[]): void {
  for (;;) {
    into.push(readSimple(parser));
    if (accept(parser, ';') === undefined) break;
    if (peek(parser) === 'newline' || peek(parser) === 'end') break;
  }
  if (peek(parser) !== 'end') expect(parser, 'newline');
}

function readSimple(parser: Parser): Statement {
  const { kind, position } = token(parser);
  if (kind === 'return') {
    take(parser);
    const empty = ['newline', ';', 'end'].includes(peek(parser));
    return { kind, position, value: empty ? undefined : readTuple(parser) };
  }
  if (kind === 'break' || kind === 'continue' || kind === 'pass') {
    take(parser);
    return { kind, position };
  }
  if (kind === 'load') return readLoad(parser);
  const first = readTuple(parser);
  const operator = token(parser);
  if (operator.kind === '=') {
    take(parser);
    checkTarget(parser, first);
    return { kind: 'assign', position: operator.position, target: first, value: readTuple(parser) };
  }
  if (/^(?:[-+*/%&|^]|\/\/|<<|>>)=$/.test(operator.kind)) {
    take(parser);
    const bare = first.kind === 'paren' ? first.inner : first;
    if (bare.kind === 'tuple' || bare.kind === 'list')
      throw syntaxFault(
        parser.file,
        first.position,
        `can't use ${bare.kind} expression in augmented assignment`,
      );
    checkTarget(parser, first);
    const value = readTuple(parser);
    return {
      kind: 'augment',
      position: operator.position,
      target: first,
      operator: operator.kind.slice(0, -1),
      value,
    };
  }
  return { kind: 'expression', position, value: first };
}

/** Only names, fields, elements and collections of them can be assigned to. */
export function checkTarget(parser: Parser, target: Expression): void {
  if (target.kind === 'name' || target.kind === 'dot' || target.kind === 'index') return;
  if (target.kind === 'paren') return checkTarget(parser, target.inner);
  if (target.kind !== 'list' && target.kind !== 'tuple')
    throw syntaxFault(parser.file, target.position, `can't assign to ${target.kind} expression`);
  for (const item of target.items) checkTarget(parser, item);
}

function readLoad(parser: Parser): Statement {
  const { position } = take(parser);
  expect(parser, '(');
  if (peek(parser) !== 'string')
    throw syntaxFault(
      parser.file,
      token(parser).position,
      'first operand of load statement must be a string literal',
    );
  const module = take(parser).text;
  const names: { position: number; local: string; name: string }[] = [];
  while (peek(parser) !== ')') {
    expect(parser, ',');
    if (peek(parser) === ')') break;
    const first = take(parser);
    if (first.kind === 'string') {
      names.push({ position: first.position, local: first.text, name: first.text });
    } else if (first.kind === 'name') {
      expect(parser, '=');
      names.push({ position: first.position, local: first.text, name: expect(parser, 'string').text });
    } else {
      throw syntaxFault(
        parser.file,
        first.position,
        `load operand must be "name" or localname="name" (got ${nameOfToken(first.kind)})`,
      );
    }
  }
  expect(parser, ')');
  if (names.length === 0)
    throw syntaxFault(parser.file, position, 'load statement must import at least 1 symbol');
  return { kind: 'load', position, module, names };
}

function readDef(parser: Parser): Statement {
  const { position } = take(parser);
  const name = expect(parser, 'name').text;
  expect(parser, '(');
  const parameters = readParameters(parser, ')');
  expect(parser, ')');
  const definition: Definition = { position, name, parameters, body: readBlock(parser) };
  return { kind: 'def', position, definition };
}

function readIf(parser: Parser): Statement {
  const { position } = take(parser);
  const test = readExpression(parser);
  const yes = readBlock(parser);
  let no: readonly Statement[] = [];
  if (peek(parser) === 'elif') no = [deeper(parser, () => readIf(parser))];
  else if (accept(parser, 'else') !== undefined) no = readBlock(parser);
  return { kind: 'if', position, test, yes, no };
}

function readFor(parser: Parser): Statement {
  const { position } = take(parser);
  const target = readTargets(parser);
  expect(parser, 'in');
  const iterable = readTuple(parser);
  return { kind: 'for', position, target, iterable, body: readBlock(parser) };
}

function readWhile(parser: Parser): Statement {
  const { position } = take(parser);
  const test = readExpression(parser);
  return { kind: 'while', position, test, body: readBlock(parser) };
}

function readBlock(parser: Parser): Statement[] {
  expect(parser, ':');
  const statements: Statement[] = [];
  if (accept(parser, 'newline') === undefined) {
    readSimpleLine(parser, statements);
    return statements;
  }
  expect(parser, 'indent');
  deeper(parser, () => {
    while (peek(parser) !== 'outdent' && peek(parser) !== 'end') readStatement(parser, statements);
  });
  accept(parser, 'outdent');
  return statements;
}
