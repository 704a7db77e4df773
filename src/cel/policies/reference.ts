/** The part of docs/policies.md that follows from the code. */
import type { ParamType, ReadyPolicy } from './ready-policy.ts';
import { READY_POLICIES } from './table.ts';

/** The list of ready-made policies as the code has them, in Markdown. */
export function policyList(): string {
  return READY_POLICIES.map(sectionOf).join('\n').trimEnd();
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
