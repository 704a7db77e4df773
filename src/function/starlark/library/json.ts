import { asString, unpack } from '../arguments.ts';
import type { Budget } from '../budget.ts';
import { fault } from '../fault.ts';
import { toKrm } from '../krm-values.ts';
import { decodeText, encodeText } from '../text.ts';
import type { Native } from '../value.ts';
import { readJson } from './json-reader.ts';

/** `encoding/json.star`: `dumps`, `loads` and their newer names. Keys come out sorted. */
export const JSON_LIBRARY: Readonly<Record<string, Native>> = {
  dumps: writer('dumps', true),
  encode: writer('encode', false),
  loads: reader('loads'),
  decode: reader('decode'),
  indent(args, named, budget) {
    const [text, prefix = '', indent = '\t'] = unpack('indent', ['str', 'prefix?', 'indent?'], args, named);
    const source = asString('indent', 1, text);
    const step = asString('indent', 'indent', indent);
    const start = asString('indent', 'prefix', prefix);
    const data = readJson(source, budget, 'indent');
    const lines = print(toKrm({ value: data, budget, path: 'x' }), budget, {
      html: false,
      step: decodeText(step),
    }).split('\n');
    budget.write(lines.length * start.length + source.length);
    return encodeText(lines.join(`\n${decodeText(start)}`));
  },
};

function writer(name: string, html: boolean): Native {
  return (args, named, budget) => {
    const [value = null] = unpack(name, ['obj'], args, named);
    return encodeText(print(toKrm({ value, budget, path: name }), budget, { html }));
  };
}

function reader(name: string): Native {
  return (args, named, budget) => {
    const [source] = unpack(name, ['source'], args, named);
    return readJson(asString(name, 1, source), budget, name);
  };
}

interface Style {
  /** `<`, `>` and `&` as escapes. */
  readonly html: boolean;
  readonly step?: string;
}

function print(value: unknown, budget: Budget, style: Style, before = ''): string {
  budget.work(1);
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'string') return quote(value, style.html);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw fault('cannot encode non-finite float as JSON');
    return String(value).replace(/e([+-])(\d)$/, 'e$10$2');
  }
  if (typeof value !== 'object' || value === null) return String(value);
  const inside = style.step === undefined ? '' : before + style.step;
  const parts = Array.isArray(value)
    ? value.map((item) => print(item, budget, style, inside))
    : Object.keys(value)
        .sort()
        .map((key) => {
          const colon = style.step === undefined ? ':' : ': ';
          return (
            quote(key, style.html) +
            colon +
            print((value as Record<string, unknown>)[key], budget, style, inside)
          );
        });
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const text =
    style.step === undefined || parts.length === 0
      ? `${open}${parts.join(',')}${close}`
      : `${open}\n${inside}${parts.join(`,\n${inside}`)}\n${before}${close}`;
  budget.write(text.length);
  return text;
}

function quote(text: string, html: boolean): string {
  const quoted = JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  if (!html) return quoted;
  return quoted.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e').replaceAll('&', '\\u0026');
}
