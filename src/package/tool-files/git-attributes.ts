/** Whether a `.gitattributes` makes git write a manifest otherwise than the repository holds it. */
import type { Refused } from './kustomization.ts';

/** Conversions of line ends are not among these: YAML and JSON mean the same with CRLF. */
const REWRITING = /^(?:working-tree-encoding|filter|ident)(?:=|$)/;

/** Names that tools read: manifests, jsonnet and what it imports, templates of charts. */
const READ = /^(?:ya?ml|json|jsonnet|libsonnet|tpl)$/i;

/** The first line that does. */
export function judgeAttributes(bytes: Uint8Array): Refused | undefined {
  return rewritingLines(bytes)[0];
}

/** Lines of a `.gitattributes` above packages that are not in its old state. */
export function newRewritingLines(before: Uint8Array | null, after: Uint8Array): Refused[] {
  const known = new Set(before === null ? [] : rewritingLines(before).map(({ what }) => what));
  return rewritingLines(after).filter(({ what }) => !known.has(what));
}

function rewritingLines(bytes: Uint8Array): Refused[] {
  const lines = new TextDecoder().decode(bytes).split('\n');
  return lines.flatMap((line, at): Refused[] => {
    const [pattern = '', ...attributes] = line.split(/[ \t\r]+/).filter((word) => word !== '');
    if (pattern.startsWith('#') || !mayMatch(pattern)) return [];
    const set = attributes.filter((word) => REWRITING.test(word));
    const what = `sets ${set.map((word) => `\`${word}\``).join(', ')} for \`${pattern}\``;
    return set.length === 0 ? [] : [{ what, line: at + 1, inputs: [] }];
  });
}

/** False only for a name or an extension, spelled out, that no tool reads. A macro may be used anywhere. */
function mayMatch(pattern: string): boolean {
  if (/["\\]/.test(pattern) || pattern.startsWith('[attr]')) return true;
  const name = pattern.slice(pattern.lastIndexOf('/') + 1);
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1];
  if (extension !== undefined) return READ.test(extension);
  return /[*?[\]]/.test(name) || name === 'Kustomization';
}
