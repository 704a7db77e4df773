import { isNull, same } from '../yaml/compare.ts';
import { entryOf, textAt } from '../yaml/node.ts';
import type { MapNode } from '../yaml/node.ts';

/** Fields of which Kubernetes (or kpt) allows one at a time, by where their map stands. */
interface Choice {
  readonly at: RegExp;
  /** Names of the alternatives; without `only`, every field but those in `beside`. */
  readonly only?: readonly string[];
  readonly beside?: readonly string[];
}

/** Source: the unions of the Kubernetes API (`core/v1` Handler, VolumeSource, EnvVarSource …) and kpt's Function type. */
const CHOICES: readonly Choice[] = [
  { at: /Probe$|\.(?:postStart|preStop)$/, only: ['exec', 'grpc', 'httpGet', 'sleep', 'tcpSocket'] },
  { at: /\.volumes\[\]$/, beside: ['name'] },
  { at: /\.env\[\]$/, only: ['value', 'valueFrom'] },
  { at: /\.env\[\]\.valueFrom$/, beside: [] },
  { at: /^pipeline\.(?:mutators|validators)\[\]$/, only: ['configMap', 'configPath', 'configRef'] },
  { at: /^pipeline\.(?:mutators|validators)\[\]$/, only: ['image', 'exec'] },
];

/** Fields that have to come from one side together, and the one to speak of. */
export interface Clash {
  readonly fields: readonly string[];
  readonly field: string;
}

/**
 * Where the two sides chose different ones of fields that exclude each other, and each worked on its own: merged field by
 * field, both would be there. `pattern` is the map's place with `[]` for list items.
 */
export function clashOf(
  pattern: string,
  base: MapNode | undefined,
  upstream: MapNode,
  local: MapNode,
): Clash | undefined {
  for (const choice of CHOICES) {
    if (!choice.at.test(pattern)) continue;
    const [own, more] = chosenIn(local, choice);
    const [theirs, others] = chosenIn(upstream, choice);
    if (own === undefined || theirs === undefined || own === theirs) continue;
    if (more !== undefined || others !== undefined) continue;
    if (isAsBefore(base, local, own) || isAsBefore(base, upstream, theirs)) continue;
    return { fields: [own, theirs], field: own };
  }
  return /(?:^|\.)strategy$/.test(pattern) ? strategyClash(base, upstream, local) : undefined;
}

function chosenIn(map: MapNode, { only, beside = [] }: Choice): string[] {
  return map.entries
    .flatMap(({ name, value }) => (isNull(value) ? [] : [name]))
    .filter((name) => (only === undefined ? !beside.includes(name) : only.includes(name)));
}

function isAsBefore(base: MapNode | undefined, now: MapNode, name: string): boolean {
  const before = base && entryOf(base, name);
  return before !== undefined && same(before.value, entryOf(now, name)?.value);
}

/** A Deployment that is recreated has no settings for a rolling update. */
function strategyClash(base: MapNode | undefined, upstream: MapNode, local: MapNode): Clash | undefined {
  const recreates = [upstream, local].map((map) => textAt(map, 'type') === 'Recreate');
  if (recreates[0] === recreates[1]) return undefined;
  const rolling = recreates[0] === true ? local : upstream;
  const isNew =
    entryOf(rolling, 'rollingUpdate') !== undefined && !isAsBefore(base, rolling, 'rollingUpdate');
  return isNew ? { fields: ['type', 'rollingUpdate'], field: 'rollingUpdate' } : undefined;
}
