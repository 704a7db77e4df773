import { shortenValue } from '../../text/cut-text.ts';
import { positionAt, syntaxFault } from './fault.ts';
import type { Position } from './fault.ts';
import { readStringLiteral } from './literal.ts';
import { encodeText } from './text.ts';
import { KEYWORDS, OPERATORS, RESERVED } from './token.ts';
import type { Token } from './token.ts';

const NAME = /[\p{L}_][\p{L}\p{Nd}_]*/uy;
const NUMBER =
  /0[xX][0-9a-fA-F]*|0[oO][0-7]*|0[bB][01]*|(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+/y;
const STRING = /(?:[rR][bB]?|[bB][rR]?)?(?:"""|'''|"|')/y;
const TAB = 8;

interface Lexer {
  readonly file: string;
  readonly text: string;
  readonly tokens: Token[];
  readonly indents: number[];
  at: number;
  line: number;
  /** Where the present line begins. */
  lineStart: number;
  /** Open brackets: line breaks inside them do not count. */
  depth: number;
}

/**
 * Cuts a script into tokens, with its indentation as tokens of their own.
 * @throws PorticoError STARLARK_SYNTAX
 */
export function readTokens(file: string, text: string): Token[] {
  const source = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  const lexer: Lexer = {
    file,
    text: source,
    tokens: [],
    indents: [0],
    at: 0,
    line: 1,
    lineStart: 0,
    depth: 0,
  };
  let atLineStart = true;
  while (lexer.at < source.length) {
    if (atLineStart && lexer.depth === 0) {
      atLineStart = !readIndentation(lexer);
      continue;
    }
    atLineStart = readOne(lexer);
  }
  const last = lexer.tokens.at(-1)?.kind;
  if (last !== undefined && last !== 'newline') push(lexer, 'newline');
  while (lexer.indents.length > 1) {
    lexer.indents.pop();
    push(lexer, 'outdent');
  }
  push(lexer, 'end');
  return lexer.tokens;
}

/** Reads the blanks that a line begins with; false for a line without content, which is skipped. */
function readIndentation(lexer: Lexer): boolean {
  const { text } = lexer;
  let column = 0;
  while (lexer.at < text.length && (text[lexer.at] === ' ' || text[lexer.at] === '\t')) {
    column += text[lexer.at] === '\t' ? TAB - (column % TAB) : 1;
    lexer.at += 1;
  }
  if (text[lexer.at] === '#') skipComment(lexer);
  if (lexer.at >= text.length) return true;
  if (text[lexer.at] === '\n') {
    newLine(lexer);
    return false;
  }
  const present = lexer.indents.at(-1) ?? 0;
  if (column > present) {
    lexer.indents.push(column);
    push(lexer, 'indent');
  } else {
    while (column < (lexer.indents.at(-1) ?? 0)) {
      lexer.indents.pop();
      push(lexer, 'outdent');
    }
    if (column !== lexer.indents.at(-1))
      throw syntaxFault(lexer.file, here(lexer), 'unindent does not match any outer indentation level');
  }
  return true;
}

/** Reads one token or blank; true where a new line begins. */
function readOne(lexer: Lexer): boolean {
  const { text } = lexer;
  const char = text[lexer.at] ?? '';
  if (char === ' ' || char === '\t') {
    lexer.at += 1;
  } else if (char === '#') {
    skipComment(lexer);
  } else if (char === '\\' && text[lexer.at + 1] === '\n') {
    lexer.at += 1;
    newLine(lexer);
  } else if (char === '\n') {
    if (lexer.depth === 0) push(lexer, 'newline');
    newLine(lexer);
    return lexer.depth === 0;
  } else if (match(lexer, STRING) !== '') {
    readString(lexer);
  } else if (/[0-9]/.test(char) || (char === '.' && /[0-9]/.test(text[lexer.at + 1] ?? ''))) {
    readNumber(lexer);
  } else {
    readWordOrOperator(lexer);
  }
  return false;
}

function readString(lexer: Lexer): void {
  const position = here(lexer);
  const literal = readStringLiteral(lexer.text, lexer.at, match(lexer, STRING));
  if ('problem' in literal) throw syntaxFault(lexer.file, position, literal.problem);
  const body = lexer.text.slice(lexer.at, literal.end);
  lexer.tokens.push({ kind: literal.bytes ? 'bytes' : 'string', position, text: literal.value });
  const breaks = body.split('\n').length - 1;
  if (breaks > 0) {
    lexer.line += breaks;
    lexer.lineStart = lexer.at + body.lastIndexOf('\n') + 1;
  }
  lexer.at = literal.end;
}

/** Digits that one number may have: reading them takes more than linear time. */
const MAX_DIGITS = 4096;

function readNumber(lexer: Lexer): void {
  const position = here(lexer);
  const text = match(lexer, NUMBER);
  lexer.at += text.length;
  if (/^0[xXoObB]$/.test(text) || text.length > MAX_DIGITS)
    throw syntaxFault(lexer.file, position, `invalid number ${shortenValue(text, 20)}`);
  if (/^0[0-9]*[1-9]/.test(text) && /^\d+$/.test(text)) {
    const octal = `obsolete form of octal literal; use 0o${text.replace(/^0+/, '')}`;
    throw syntaxFault(lexer.file, position, octal);
  }
  if (/^0[xXoObB]|^\d+$/.test(text)) {
    lexer.tokens.push({ kind: 'int', position, text, number: BigInt(text) });
    return;
  }
  const number = Number(text);
  if (!Number.isFinite(number)) throw syntaxFault(lexer.file, position, 'floating-point literal too large');
  lexer.tokens.push({ kind: 'float', position, text, number });
}

function readWordOrOperator(lexer: Lexer): void {
  const position = here(lexer);
  const name = match(lexer, NAME);
  if (name !== '') {
    if (RESERVED.has(name)) throw syntaxFault(lexer.file, position, `${name} is a reserved word`);
    lexer.at += name.length;
    lexer.tokens.push({ kind: KEYWORDS.has(name) ? name : 'name', position, text: encodeText(name) });
    return;
  }
  const operator = OPERATORS.find((one) => lexer.text.startsWith(one, lexer.at));
  if (operator === undefined) {
    const char = String.fromCodePoint(lexer.text.codePointAt(lexer.at) ?? 0);
    throw syntaxFault(lexer.file, position, `unexpected input character ${JSON.stringify(char)}`);
  }
  lexer.at += operator.length;
  lexer.tokens.push({ kind: operator, position, text: operator });
  if ('([{'.includes(operator)) lexer.depth += 1;
  if (')]}'.includes(operator)) {
    if (lexer.depth === 0) throw syntaxFault(lexer.file, position, `unexpected '${operator}'`);
    lexer.depth -= 1;
  }
}

function match(lexer: Lexer, pattern: RegExp): string {
  pattern.lastIndex = lexer.at;
  return pattern.exec(lexer.text)?.[0] ?? '';
}

function skipComment(lexer: Lexer): void {
  const end = lexer.text.indexOf('\n', lexer.at);
  lexer.at = end < 0 ? lexer.text.length : end;
}

function newLine(lexer: Lexer): void {
  lexer.at += 1;
  lexer.line += 1;
  lexer.lineStart = lexer.at;
}

function push(lexer: Lexer, kind: string): void {
  lexer.tokens.push({ kind, position: here(lexer), text: '' });
}

function here(lexer: Lexer): Position {
  return positionAt(lexer.line, lexer.at - lexer.lineStart + 1);
}
