import type { Position } from './fault.ts';

/** `name`, `int`, `float`, `string`, `bytes`, `newline`, `indent`, `outdent`, `end`, or an operator or keyword itself. */
export interface Token {
  readonly kind: string;
  readonly position: Position;
  /** Names as written, strings and bytes as UTF-8 in one character per byte. */
  readonly text: string;
  readonly number?: number | bigint;
}

export const KEYWORDS: ReadonlySet<string> = new Set(
  'and break continue def elif else for if in lambda load not or pass return while'.split(' '),
);

/** Python's words that Starlark keeps for itself. */
export const RESERVED: ReadonlySet<string> = new Set(
  'as assert async await class del except finally from global import is nonlocal raise try with yield'.split(
    ' ',
  ),
);

/** Longest first. */
export const OPERATORS: readonly string[] = (
  '<<= >>= //= ' +
  '== != <= >= << >> // += -= *= /= %= &= |= ^= ** ' +
  '+ - * / % & | ^ ~ < > = . , ; : ( ) [ ] { }'
).split(' ');

/** How a token is called in messages. */
export function nameOfToken(kind: string): string {
  switch (kind) {
    case 'name':
      return 'identifier';
    case 'int':
      return 'int literal';
    case 'float':
      return 'float literal';
    case 'string':
      return 'string literal';
    case 'bytes':
      return 'bytes literal';
    case 'end':
      return 'end of file';
    case 'newline':
    case 'indent':
    case 'outdent':
      return kind;
    default:
      return KEYWORDS.has(kind) ? kind : `'${kind}'`;
  }
}
