/** Which functions the actions of a Go template call, found without running it. */

export interface TemplateCall {
  readonly name: string;
  /** Offsets of the name in the text. */
  readonly start: number;
  readonly end: number;
}

const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/y;

/**
 * The words of all actions that can be functions: neither fields (`.now`), variables (`$now`) nor text in quotes. In one
 * pass; an action that is not closed ends with the text.
 */
export function templateCalls(text: string): readonly TemplateCall[] {
  const calls: TemplateCall[] = [];
  let at = text.indexOf('{{');
  while (at !== -1) {
    at += 2;
    while (at < text.length && !text.startsWith('}}', at)) {
      const next = afterQuoted(text, at);
      if (next !== at) {
        at = next;
        continue;
      }
      IDENTIFIER.lastIndex = at;
      const [name] = IDENTIFIER.exec(text) ?? [];
      if (name === undefined) {
        at += 1;
        continue;
      }
      const before = text[at - 1] ?? '';
      if (before !== '.' && before !== '$') calls.push({ name, start: at, end: at + name.length });
      at += name.length;
    }
    at = text.indexOf('{{', at);
  }
  return calls;
}

/** The offset behind a comment or a quoted text that begins here; the same offset where none does. */
function afterQuoted(text: string, at: number): number {
  if (text.startsWith('/*', at)) return behind(text, '*/', at + 2);
  const quote = text[at];
  if (quote === '`') return behind(text, '`', at + 1);
  if (quote !== '"' && quote !== "'") return at;
  let here = at + 1;
  while (here < text.length && text[here] !== quote && text[here] !== '\n') {
    here += text[here] === '\\' ? 2 : 1;
  }
  return Math.min(here + 1, text.length);
}

function behind(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found === -1 ? text.length : found + mark.length;
}
