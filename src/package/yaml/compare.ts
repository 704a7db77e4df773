import { PorticoError } from '../../error.ts';
import type { YamlValue } from './edit.ts';
import type { ScalarValue, YamlNode } from './node.ts';

const canons = new WeakMap<YamlNode, string>();

/**
 * The data of a node as one string: equal strings are equal to Kubernetes. Key order, quotes, style and comments
 * do not count, aliases count as what they stand for.
 */
export function canon(node: YamlNode): string {
  const known = canons.get(node);
  if (known !== undefined) return known;
  const text = makeCanon(node, canon);
  canons.set(node, text);
  return text;
}

/** As `canon`, but an alias counts as its name: equal strings are equal where the anchors are. */
export function shape(node: YamlNode): string {
  return makeCanon(node, shape);
}

function makeCanon(node: YamlNode, below: (node: YamlNode) => string): string {
  const tag = node.kind !== 'alias' && node.tag !== undefined ? `${node.tag} ` : '';
  switch (node.kind) {
    case 'scalar':
      return tag + canonScalar(node.value);
    case 'alias':
      return node.target === undefined || below === shape ? `*${node.name}` : below(node.target);
    case 'list':
      return `${tag}[${node.items.map((item) => below(item.value)).join(',')}]`;
    case 'map': {
      const entries = node.entries.map((entry) => `${JSON.stringify(entry.name)}:${below(entry.value)}`);
      return `${tag}{${entries.sort().join(',')}}`;
    }
  }
}

function canonScalar(value: ScalarValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return Object.is(value, -0) ? '0' : String(value);
}

/** True when Kubernetes reads both as the same; two absent ones are the same. */
export function same(a: YamlNode | undefined, b: YamlNode | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  return canon(a) === canon(b);
}

/** True for absent and for null, which Kubernetes does not tell apart. */
export function isNull(node: YamlNode | undefined): boolean {
  return node === undefined || (node.kind === 'scalar' && node.value === null && node.tag === undefined);
}

/** The data of a node. Maps have no prototype, so that a key such as `__proto__` is only a key. */
export function toValue(node: YamlNode): YamlValue {
  switch (node.kind) {
    case 'scalar':
      return node.value;
    case 'alias':
      return node.target === undefined ? null : toValue(node.target);
    case 'list':
      return node.items.map((item) => toValue(item.value));
    case 'map': {
      const map: Record<string, YamlValue> = Object.create(null) as Record<string, YamlValue>;
      for (const entry of node.entries) map[entry.name] = toValue(entry.value);
      return map;
    }
  }
}

/** A made node of this data. Throws `YAML_VALUE` for what YAML cannot hold, such as a function. */
export function fromValue(value: YamlValue, depth = 0): YamlNode {
  if (depth > 200)
    throw new PorticoError('YAML_VALUE', 'The value is nested too deep or holds itself', { blame: 'user' });
  if (value === null || typeof value !== 'object') {
    if (!['string', 'number', 'bigint', 'boolean'].includes(typeof value) && value !== null) {
      throw new PorticoError('YAML_VALUE', `A ${typeof value} cannot be written as YAML`, { blame: 'bug' });
    }
    return { kind: 'scalar', value };
  }
  if (Array.isArray(value)) {
    const items = (value as readonly YamlValue[]).map((item) => ({ value: fromValue(item, depth + 1) }));
    return { kind: 'list', items };
  }
  const entries = Object.entries(value as Record<string, YamlValue>)
    .filter(([, item]) => item !== undefined)
    .map(([name, item]) => ({
      name,
      key: { kind: 'scalar', value: name } as const,
      value: fromValue(item, depth + 1),
    }));
  return { kind: 'map', entries };
}
