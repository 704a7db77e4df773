/**
 * CEL text → CEL text that the parser knows. Its grammar lacks optional syntax (`a.?b`, `a[?0]`, `[?x]`, `{?k: v}`)
 * and quoted fields (a.`b-c`), and it reserves the word `package`, which is a variable here. All of these are turned
 * into calls and names that ./macros.ts and ./library know.
 */

/** Names that the rewriting brings in; nobody else may write names that begin so. */
export const SUGAR = {
  select: '__opt_select',
  index: '__opt_index',
  item: '__opt_item',
  key: '__opt_key',
  /** Ahead of the name of an optional field of `Object{?field: …}`. */
  field: '__opt_field_',
  package: '__package',
} as const;

export interface Desugared {
  readonly source: string;
  /** From an offset in `source` to the one in the text that was written. */
  readonly originOf: (offset: number) => number;
}

/** Text that cannot be CEL, with the offset of the place. */
export class CelSyntaxError extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** The parser recurses over brackets; this many are plenty for people and harmless for the stack. */
const MAX_DEPTH = 100;

interface Frame {
  readonly open: string;
  /** What closes it in the rewritten text. */
  readonly close: string;
  /** An optional element or key is open and needs its closing parenthesis. */
  wrapped: boolean;
  /** Fields stand in it, behind the name of a type. */
  readonly fields: boolean;
}

interface Token {
  readonly word: string;
  readonly from: number;
  /** A blank has to stand before it. */
  readonly gap: boolean;
}

const TOKEN =
  /\/\/[^\n]*|\s+|(?:[rR][bB]?|[bB][rR]?)?(?:"""(?:\\[\s\S]|[^\\])*?"""|'''(?:\\[\s\S]|[^\\])*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|[A-Za-z_]\w*|\d(?:[\w.]|(?<=[eE])[+-])*|`[^`\n]*`|[\s\S]/gy;
const RAW = /(?:[rR][bB]?|[bB][rR])(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n]*"|'[^'\n]*')/y;

/** @throws CelSyntaxError for brackets nested too deep and for names that are reserved here */
export function desugar(text: string): Desugared {
  const pieces: string[] = [];
  const origins: { readonly at: number; readonly from: number }[] = [];
  const frames: Frame[] = [];
  let length = 0;
  let before = '';
  const emit = (piece: string, from: number): void => {
    origins.push({ at: length, from });
    pieces.push(piece);
    length += piece.length;
  };
  const tokens = tokensOf(text);
  for (let at = 0; at < tokens.length; at++) {
    const { word, from, gap } = tokens[at] ?? { word: '', from: 0, gap: false };
    if (gap) emit(' ', from);
    const next = tokens[at + 1]?.word ?? '';
    const afterNext = tokens[at + 2]?.word ?? '';
    const frame = frames.at(-1);
    if (/^[A-Za-z_]/.test(word) && word.startsWith('__opt_')) {
      throw new CelSyntaxError(`names that begin with __opt_ are reserved`, from);
    }
    if (word === '.' && next === '?') {
      const field = fieldName(afterNext);
      if (field === undefined) throw new CelSyntaxError('.? needs the name of a field', from);
      emit(`.${SUGAR.select}(${JSON.stringify(field)})`, from);
      at += 2;
      before = ')';
      continue;
    }
    if (word === '.' && next.startsWith('`')) {
      emit(`[${JSON.stringify(next.slice(1, -1))}]`, from);
      at += 1;
      before = ']';
      continue;
    }
    if (word === '(' || word === '[' || word === '{') {
      if (frames.length >= MAX_DEPTH)
        throw new CelSyntaxError(`brackets are nested deeper than ${MAX_DEPTH}`, from);
      const postfix = /[\w)\]}"'`]$/.test(before) && before !== 'in';
      if (word === '[' && next === '?' && postfix) {
        emit(`.${SUGAR.index}(`, from);
        frames.push({ open: '(', close: ')', wrapped: false, fields: false });
        at += 1;
        before = '(';
        continue;
      }
      emit(word, from);
      frames.push({
        open: word,
        close: CLOSES[word] ?? '',
        wrapped: false,
        fields: word === '{' && /\w$/.test(before) && before !== 'in',
      });
    } else if (word === ')' || word === ']' || word === '}') {
      if (frame?.wrapped === true) emit(')', from);
      emit(frame !== undefined && frame.close === ')' && word === ']' ? ')' : word, from);
      frames.pop();
    } else if (word === ',' || word === ':') {
      if (frame?.wrapped === true && (word === ',' || frame.open === '{')) {
        emit(')', from);
        frame.wrapped = false;
      }
      emit(word, from);
    } else if (word === '?' && frame?.fields === true && /^[{,]$/.test(before)) {
      if (!/^[A-Za-z_]\w*$/.test(next)) throw new CelSyntaxError('? needs the name of a field', from);
      emit(`${SUGAR.field}${next}`, from);
      at += 1;
      before = next;
      continue;
    } else if (word === '?' && frame !== undefined && /^[[{,]$/.test(before) && frame.open !== '(') {
      emit(`${frame.open === '{' ? SUGAR.key : SUGAR.item}(`, from);
      frame.wrapped = true;
      before = '(';
      continue;
    } else if (word === 'package' && before !== '.' && !(frame?.fields === true && next === ':')) {
      emit(SUGAR.package, from);
    } else emit(word, from);
    before = word;
  }
  return { source: pieces.join(''), originOf: (offset) => originIn(origins, offset) };
}

const CLOSES: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

function fieldName(word: string): string | undefined {
  if (/^[A-Za-z_]\w*$/.test(word)) return word;
  return /^`[^`]+`$/.test(word) ? word.slice(1, -1) : undefined;
}

/** Tokens without comments and blanks; a blank stands for them where two words would grow together. */
function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let apart = false;
  while (at < text.length) {
    RAW.lastIndex = at;
    TOKEN.lastIndex = at;
    const found = RAW.exec(text) ?? TOKEN.exec(text);
    const word = found?.[0] ?? text.charAt(at);
    if (/^\s/.test(word) || word.startsWith('//')) apart = true;
    else {
      const last = tokens.at(-1);
      // Blanks matter between two words only: `a in b`.
      const gap = apart && last !== undefined && /[\w"'`]$/.test(last.word) && /^[\w"'`]/.test(word);
      tokens.push({ word, from: at, gap });
      apart = false;
    }
    at += word.length;
  }
  return tokens;
}

function originIn(
  origins: readonly { readonly at: number; readonly from: number }[],
  offset: number,
): number {
  let found = { at: 0, from: 0 };
  for (const origin of origins) {
    if (origin.at > offset) break;
    found = origin;
  }
  return found.from + (offset - found.at);
}
