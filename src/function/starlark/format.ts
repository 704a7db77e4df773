import type { Budget } from './budget.ts';
import { fault } from './fault.ts';
import { printValue, quoteValue } from './print.ts';
import type { Value } from './value.ts';

/** `text.format(…)`: `{}`, `{0}`, `{name}`, each with `!r` or `!s`; `{{` and `}}` stand for braces. */
export function formatBraces(
  format: string,
  args: readonly Value[],
  named: ReadonlyMap<string, Value>,
  budget: Budget,
): string {
  budget.work(format.length);
  const parts: string[] = [];
  let automatic = 0;
  let manual = false;
  let at = 0;
  while (at < format.length) {
    const brace = nextBrace(format, at);
    if (brace < 0) break;
    parts.push(format.slice(at, brace));
    const char = format[brace];
    if (format[brace + 1] === char) {
      parts.push(char ?? '');
      at = brace + 2;
      continue;
    }
    if (char === '}') throw fault("format: single '}' in format");
    const end = format.indexOf('}', brace);
    if (end < 0) throw fault("format: unmatched '{' in format");
    const field = format.slice(brace + 1, end);
    const { name, conversion } = readField(field);
    let value: Value | undefined;
    if (name === '') {
      if (manual)
        throw fault('format: cannot switch from manual field specification to automatic field numbering');
      value = args[automatic];
      automatic += 1;
      if (value === undefined) throw fault('format: tuple index out of range');
    } else if (/^\d+$/.test(name)) {
      if (automatic > 0)
        throw fault('format: cannot switch from automatic field numbering to manual field specification');
      manual = true;
      value = args[Number(name)];
      if (value === undefined) throw fault('format: tuple index out of range');
    } else {
      value = named.get(name);
      if (value === undefined) throw fault(`format: keyword ${name} not found`);
    }
    const text = conversion === 'r' ? quoteValue(value, budget) : printValue(value, budget);
    budget.write(text.length);
    parts.push(text);
    at = end + 1;
  }
  parts.push(format.slice(at));
  budget.write(format.length);
  return parts.join('');
}

function nextBrace(format: string, from: number): number {
  const found = /[{}]/g;
  found.lastIndex = from;
  return found.exec(format)?.index ?? -1;
}

function readField(field: string): { readonly name: string; readonly conversion: string } {
  const colon = field.indexOf(':');
  const spec = colon < 0 ? '' : field.slice(colon + 1);
  const before = colon < 0 ? field : field.slice(0, colon);
  const bang = before.indexOf('!');
  const name = bang < 0 ? before : before.slice(0, bang);
  const conversion = bang < 0 ? 's' : before.slice(bang + 1);
  if (spec !== '') throw fault(`format: format spec features not supported in replacement fields: ${spec}`);
  if (conversion !== 's' && conversion !== 'r') throw fault(`format: unknown conversion "${conversion}"`);
  if (name.includes('.'))
    throw fault(`format: attribute syntax is not supported in replacement fields: ${name}`);
  if (/[[\]]/.test(name))
    throw fault(`format: element syntax is not supported in replacement fields: ${name}`);
  if (name.includes('{')) throw fault('format: nested replacement fields not supported');
  return { name, conversion };
}
