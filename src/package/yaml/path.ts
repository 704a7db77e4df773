import { PorticoError } from '../../error.ts';
import { shortenValue } from '../../text/cut-text.ts';

/** Where a node stands in a document: map keys, list indexes, and list items named by the values of some fields. */
export type PathSegment = string | number | Readonly<Record<string, string>>;
export type YamlPath = readonly PathSegment[];

const PLAIN_KEY = /^[A-Za-z_$][\w$/-]*$/;

/**
 * Writes a path for people and machines: `spec.containers[name=web].ports[0]`, `metadata.labels["app.io/name"]`.
 * Several key fields are separated by commas: `ports[port=80,protocol=TCP]`. The root is ''.
 */
export function formatPath(path: YamlPath): string {
  return path.reduce<string>((text, segment) => {
    if (typeof segment === 'number') return `${text}[${segment}]`;
    if (typeof segment === 'string') {
      if (!PLAIN_KEY.test(segment)) return `${text}[${JSON.stringify(segment)}]`;
      return text === '' ? segment : `${text}.${segment}`;
    }
    const fields = Object.entries(segment).map(([key, value]) => `${key}=${formatValue(value)}`);
    return `${text}[${fields.join(',')}]`;
  }, '');
}

function formatValue(value: string): string {
  return value === '' || /[[\],"=]/.test(value) ? JSON.stringify(value) : value;
}

/** Reads what `formatPath` writes. Throws `YAML_PATH` for anything else. */
export function parsePath(text: string): YamlPath {
  const path: PathSegment[] = [];
  let at = 0;
  while (at < text.length) {
    if (text[at] === '[') {
      const close = closingBracket(text, at);
      path.push(parseBracket(text, text.slice(at + 1, close)));
      at = close + 1;
      if (text[at] === '.') at += 1;
      else if (at < text.length && text[at] !== '[') throw badPath(text);
      continue;
    }
    const key = /^[^.[\]]+/.exec(text.slice(at))?.[0];
    if (key === undefined) throw badPath(text);
    path.push(key);
    at += key.length;
    if (text[at] === '.') {
      at += 1;
      if (at === text.length) throw badPath(text);
    }
  }
  return path;
}

function closingBracket(text: string, open: number): number {
  let quoted = false;
  for (let at = open + 1; at < text.length; at += 1) {
    if (quoted && text[at] === '\\') at += 1;
    else if (text[at] === '"') quoted = !quoted;
    else if (text[at] === ']' && !quoted) return at;
  }
  throw badPath(text);
}

function parseBracket(text: string, inner: string): PathSegment {
  if (/^\d+$/.test(inner)) return Number(inner);
  if (inner.startsWith('"')) return unquote(text, inner);
  const fields: [string, string][] = [];
  const field = /([^=,]+)=("(?:[^"\\]|\\.)*"|[^,]*)(?:,|$)/y;
  while (field.lastIndex < inner.length) {
    const found = field.exec(inner);
    if (found === null) throw badPath(text);
    const value = found[2] ?? '';
    fields.push([found[1] ?? '', value.startsWith('"') ? unquote(text, value) : value]);
  }
  if (fields.length === 0) throw badPath(text);
  return Object.fromEntries(fields);
}

function unquote(text: string, quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch (cause) {
    throw badPath(text, cause);
  }
}

function badPath(text: string, cause?: unknown): PorticoError {
  return new PorticoError('YAML_PATH', `"${shortenValue(text, 200)}" is not a field path`, {
    blame: 'user',
    cause,
    hint: 'Write it like spec.containers[name=web].image, with odd keys as ["app.io/name"].',
  });
}
