/** The part of docs/policies.md that follows from the code. */
import type { ParamType, ReadyPolicy } from './ready-policy.ts';
import { READY_POLICIES } from './table.ts';

const BEGIN = '<!-- made by scripts/generate-docs.ts from here -->';
const END = '<!-- to here -->';

/** The page with its list of ready-made policies as the code has them. Throws where the page has no place for it. */
export function withPolicyTable(page: string): string {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from === -1 || to < from) throw new Error(`the page needs ${BEGIN} and ${END}`);
  const list = READY_POLICIES.map(sectionOf).join('\n');
  return `${page.slice(0, from + BEGIN.length)}\n\n${list}\n${page.slice(to)}`;
}

const TYPES: Readonly<Record<ParamType, string>> = {
  text: 'string',
  texts: 'list of strings',
  number: 'whole number',
  boolean: 'true or false',
  'map of texts': 'map of strings',
};

function sectionOf({ name, demands, notes, params }: ReadyPolicy): string {
  const rows = Object.entries(params).map(([param, { type, default: value, required, about }]) => {
    const usual = required === true ? 'required' : value === undefined ? '' : `\`${JSON.stringify(value)}\``;
    return `| \`${param}\` | ${TYPES[type]} | ${usual.replaceAll('|', '\\|')} | ${about} |`;
  });
  const table =
    rows.length === 0 ? [] : ['', '| param | is | default | means |', '|---|---|---|---|', ...rows];
  return [`### \`${name}\``, '', demands + (notes === undefined ? '' : ` ${notes}`), ...table, ''].join('\n');
}
