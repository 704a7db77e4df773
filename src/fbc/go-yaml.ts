/** YAML as the Go library of operator tools writes it: keys sorted, lists not indented, no line folded. */
import type { YamlValue } from '../package/yaml/edit.ts';
import { readPlain } from '../package/yaml/scalar.ts';
import { byText } from './go-text.ts';

/** One document with its `---` line. */
export function goYaml(value: YamlValue): string {
  const root = isCollection(value) && !isEmpty(value) ? block(value, 0) : `${inline(value)}\n`;
  return `---\n${root}`;
}

type Collection = readonly YamlValue[] | { readonly [name: string]: YamlValue };

function isCollection(value: YamlValue): value is Collection {
  return typeof value === 'object' && value !== null;
}

function isEmpty(value: Collection): boolean {
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
}

/** Lines of a collection that is not empty, at this column. */
function block(value: Collection, column: number): string {
  const pad = ' '.repeat(column);
  if (Array.isArray(value)) {
    return (value as readonly YamlValue[]).map((item) => `${pad}-${listItem(item, column)}`).join('');
  }
  return Object.entries(value)
    .sort(([a], [b]) => byText(a, b))
    .map(([name, item]) => `${pad}${scalar(name, true, 0)}:${mapValue(item, column)}`)
    .join('');
}

function mapValue(value: YamlValue, column: number): string {
  if (!isCollection(value) || isEmpty(value)) return ` ${inline(value, column + 2)}\n`;
  return `\n${block(value, Array.isArray(value) ? column : column + 2)}`;
}

function listItem(value: YamlValue, column: number): string {
  if (!isCollection(value) || isEmpty(value)) return ` ${inline(value, column + 2)}\n`;
  // What is nested begins on the line of its dash.
  return ` ${block(value, column + 2).slice(column + 2)}`;
}

function inline(value: YamlValue, column = 2): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return scalar(value, false, column);
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'object') return Array.isArray(value) ? '[]' : '{}';
  return String(value);
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  return String(value)
    .replace(/e\+?(-?)(\d)$/, 'e$10$2')
    .replace(/e(\d)/, 'e+$1');
}

function scalar(text: string, isKey: boolean, column: number): string {
  if (text.includes('\n') && !isKey && canBeLiteral(text)) return literal(text, column);
  if (text.includes('\n')) return double(text);
  if (readPlain(text) !== text || isBase60(text) || text === '<<') return double(text);
  if (canBePlain(text)) return text;
  return UNPRINTABLE.test(text) ? double(text) : `'${text.replaceAll("'", "''")}'`;
}

// eslint-disable-next-line no-control-regex -- what YAML cannot hold as it is
const UNPRINTABLE =
  /[^\n\u0020-\u007e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]|[\u0085\u2028\u2029]/u;

function isBase60(text: string): boolean {
  return /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/.test(text);
}

function canBePlain(text: string): boolean {
  if (text === '' || /^\s|\s$/.test(text) || UNPRINTABLE.test(text)) return false;
  if (/^(?:---|\.\.\.)/.test(text) || /^[#,[\]{}&*!|>'"%@`]/.test(text)) return false;
  if (/^[?:-](?:\s|$)/.test(text)) return false;
  return !/:(?:\s|$)|\s#/.test(text);
}

/** A block cannot hold spaces before a break, nor characters that need an escape. */
function canBeLiteral(text: string): boolean {
  return !/ \n| $/.test(text) && !UNPRINTABLE.test(text) && text.isWellFormed();
}

function literal(text: string, column: number): string {
  const hint = /^[ \n]/.test(text) ? '2' : '';
  const chomp = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : '';
  const body = text.endsWith('\n') ? text.slice(0, -1) : text;
  const pad = ' '.repeat(column);
  return `|${hint}${chomp}\n${body
    .split('\n')
    .map((line) => (line === '' ? '' : pad + line))
    .join('\n')}`;
}

const SHORT: Readonly<Record<string, string>> = {
  '\u0000': '\\0',
  '\u0007': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\u001b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\u0085': '\\N',
  '\u2028': '\\L',
  '\u2029': '\\P',
};

function double(text: string): string {
  const escaped = text.toWellFormed().replaceAll(
    // eslint-disable-next-line no-control-regex -- what needs an escape
    /["\\\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => {
      const code = character.charCodeAt(0);
      const hex = code.toString(16).toUpperCase();
      return SHORT[character] ?? (code < 0x100 ? `\\x${hex.padStart(2, '0')}` : `\\u${hex.padStart(4, '0')}`);
    },
  );
  return `"${escaped}"`;
}
