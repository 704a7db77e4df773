/** Whether a `.gitattributes` makes git write a manifest otherwise than the repository holds it. */
import type { Refused } from './kustomization.ts';

/** Conversions of line ends are not among these: YAML and JSON mean the same with CRLF. */
const REWRITING = /^(?:working-tree-encoding|filter|ident)(?:=|$)/;

/** Names that tools read: manifests, jsonnet and what it imports, templates of charts. */
const READ = /^(?:ya?ml|json|jsonnet|libsonnet|tpl)$/i;

export function judgeAttributes(bytes: Uint8Array): Refused | undefined {
  const lines = new TextDecoder().decode(bytes).split('\n');
  for (const [at, line] of lines.entries()) {
    const [pattern = '', ...attributes] = line.split(/[ \t\r]+/).filter((word) => word !== '');
    if (pattern.startsWith('#') || !mayMatch(pattern)) continue;
    const attribute = attributes.find((word) => REWRITING.test(word));
    if (attribute !== undefined)
      return { what: `sets \`${attribute}\` for \`${pattern}\``, line: at + 1, inputs: [] };
  }
  return undefined;
}

/** False only for a name or an extension, spelled out, that no tool reads. A macro may be used anywhere. */
function mayMatch(pattern: string): boolean {
  if (/["\\]/.test(pattern) || pattern.startsWith('[attr]')) return true;
  const name = pattern.slice(pattern.lastIndexOf('/') + 1);
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1];
  if (extension !== undefined) return READ.test(extension);
  return /[*?[\]]/.test(name) || name === 'Kustomization';
}
