/** Values as the API server gets them from kubectl: YAML 1.1's words and numbers, turned into JSON. */
import type { ScalarValue, YamlNode } from '../yaml/node.ts';

/** Returns a node as kubectl's JSON, with bigints for integers past 2^53. Aliases become copies of their targets. */
export function appliedNode(node: YamlNode): unknown {
  switch (node.kind) {
    case 'scalar':
      return appliedScalar(node.value);
    case 'alias':
      return node.target === undefined ? null : appliedNode(node.target);
    case 'list':
      return node.items.map(({ value }) => appliedNode(value));
    case 'map':
      // Not by assignment, which would change the prototype by a key `__proto__`.
      return Object.fromEntries(node.entries.map(({ name, value }) => [name, appliedNode(value)]));
  }
}

/** Returns the scalar that JSON holds for it: integers that 64 bits cannot hold become floats, as in Go. */
export function appliedScalar(value: ScalarValue): ScalarValue {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? value : Number(value);
  return Object.is(value, -0) ? 0 : value;
}
