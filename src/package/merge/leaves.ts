import { canon } from '../yaml/compare.ts';
import type { YamlNode } from '../yaml/node.ts';

/** The values below a node, each with its field path; where items stand in lists does not count. */
export function leavesOf(node: YamlNode, path = ''): Set<string> {
  const leaves = new Set<string>();
  add(node, path, leaves);
  return leaves;
}

function add(node: YamlNode, path: string, leaves: Set<string>): void {
  if (node.kind === 'map')
    for (const entry of node.entries) add(entry.value, `${path}.${entry.name}`, leaves);
  else if (node.kind === 'list') for (const item of node.items) add(item.value, `${path}[]`, leaves);
  else leaves.add(`${path}=${canon(node)}`);
}
