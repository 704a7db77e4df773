/** Setter comments: `# kpt-set: gcr.io/${repo}:${tag}`. */
import type { FieldNote } from '../../package/render/field-notes.ts';
import { readNode } from '../../package/render/read-resources.ts';
import type { YamlNode } from '../../package/yaml/node.ts';
import { readYamlFile } from '../../package/yaml/read.ts';

/** The pattern of a setter comment; undefined for other comments. */
export function setterPattern(comment: string | undefined): string | undefined {
  const found = /^kpt-set: (.*)$/s.exec(comment ?? '');
  const pattern = found?.[1]?.trim() ?? '';
  return pattern === '' ? undefined : pattern;
}

/** The comment in which a list's setter stands: behind the key in block style, behind the value in flow style. */
export function listComment(note: FieldNote): string | undefined {
  return note.style === 'flow' ? note.comment : (note.keyComment ?? note.comment);
}

/** A pattern taken apart: there is one more literal than there are names. */
interface Parts {
  readonly literals: readonly string[];
  readonly names: readonly string[];
}

/** Goes through the pattern once; a `${` that is not closed is text like any other. */
function partsOf(pattern: string): Parts {
  const literals: string[] = [];
  const names: string[] = [];
  for (let from = 0; ;) {
    const open = pattern.indexOf('${', from);
    const close = open === -1 ? -1 : pattern.indexOf('}', open);
    if (close === -1) return { literals: [...literals, pattern.slice(from)], names };
    literals.push(pattern.slice(from, open));
    names.push(pattern.slice(open + 2, close));
    from = close + 1;
  }
}

/** The names of the setters in a pattern, in order, repeated ones repeated. */
export function settersIn(pattern: string): readonly string[] {
  return partsOf(pattern).names;
}

/** The pattern with what `valueOf` gives in the place of its setters. */
export function fillPattern(pattern: string, valueOf: (name: string) => string | undefined): string {
  const { literals, names } = partsOf(pattern);
  return literals
    .map((literal, at) => {
      const name = names[at];
      return name === undefined ? literal : `${literal}${valueOf(name) ?? `\${${name}}`}`;
    })
    .join('');
}

/**
 * What the setters of a pattern are now, read from the value that was made of it; empty where it does not fit. Each
 * `${…}` is greedy and the pattern may stand anywhere in the value, as upstream's unanchored expression.
 */
export function deriveSetters(pattern: string, value: string): Map<string, string> {
  const { names, literals } = partsOf(pattern);
  const values = matchLiterals(literals, value);
  const derived = new Map<string, string>();
  for (const [at, name] of names.entries()) {
    const found = values?.[at];
    if (found === undefined || found === '') break;
    derived.set(name, found);
  }
  return derived;
}

/**
 * True when a value is what the pattern makes with the given setters, whatever the others are. Then it is settled: a
 * greedy reading could split it elsewhere and make the value grow with every render.
 */
export function isSettled(pattern: string, value: string, setters: ReadonlyMap<string, string>): boolean {
  const filled = fillPattern(pattern, (name) => setters.get(name));
  const { literals, names } = partsOf(filled);
  // A given value may itself hold `${name}`: the real function asks for that setter.
  const asked = new Set(settersIn(pattern));
  if (names.some((name) => !asked.has(name))) return false;
  const [first = '', last = ''] = [literals[0], literals.at(-1)];
  if (literals.length === 1) return filled === value;
  return (
    value.startsWith(first) &&
    value.endsWith(last) &&
    matchLiterals(literals, value)?.every((part) => part !== '') === true
  );
}

/** Greedy match of `literal (.*) literal (.*) literal` in linear time; the texts between, or undefined. */
function matchLiterals(literals: readonly string[], value: string): string[] | undefined {
  if (value.includes('\n')) return undefined;
  const first = literals[0] ?? '';
  const start = value.indexOf(first);
  if (start === -1) return undefined;
  const from = start + first.length;
  const values: string[] = [];
  // From the right, each literal takes its last place: so every `.*` before it gets as much as it can.
  let end = value.length;
  for (let at = literals.length - 1; at > 0; at -= 1) {
    const literal = literals[at] ?? '';
    const place = value.lastIndexOf(literal, end - literal.length);
    if (place < from || end - literal.length < 0) return undefined;
    values.push(value.slice(place + literal.length, end));
    end = place;
  }
  values.push(value.slice(from, end));
  values.reverse();
  values.pop();
  return values.length === literals.length - 1 ? values : undefined;
}

/** A setter's value as a list; undefined where the text is no YAML list. */
export function readList(text: string): unknown[] | undefined {
  const root = readRoot(text);
  if (root?.kind !== 'list') return undefined;
  const value = readNode(root);
  return Array.isArray(value) ? value : undefined;
}

function readRoot(text: string): YamlNode | null | undefined {
  try {
    return readYamlFile(text).documents.find(({ root }) => root !== null)?.root;
  } catch {
    return undefined;
  }
}
