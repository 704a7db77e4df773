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
  { at: /^pipeline\.(?:mutators|validators)\[\]$/, only: ['configMap', 'configPath'] },
  { at: /^pipeline\.(?:mutators|validators)\[\]$/, only: ['image', 'exec'] },
];

/**
 * The fields of a merged map of which only one may be there, where neither side had several of them: each side chose
 * another one. Undefined where all is well. `pattern` is the map's place with `[]` for list items.
 */
export function contradiction(
  pattern: string,
  merged: MapNode,
  sides: readonly MapNode[],
): readonly string[] | undefined {
  for (const choice of CHOICES) {
    if (!choice.at.test(pattern)) continue;
    const chosen = chosenIn(merged, choice);
    if (chosen.length > 1 && sides.every((side) => chosenIn(side, choice).length < 2)) return chosen;
  }
  return isHalfRecreate(pattern, merged) && !sides.some((side) => isHalfRecreate(pattern, side))
    ? ['type', 'rollingUpdate']
    : undefined;
}

function chosenIn(map: MapNode, { only, beside = [] }: Choice): string[] {
  return map.entries
    .map(({ name }) => name)
    .filter((name) => (only === undefined ? !beside.includes(name) : only.includes(name)));
}

/** A Deployment that is recreated has no settings for a rolling update. */
function isHalfRecreate(pattern: string, map: MapNode): boolean {
  if (!/(?:^|\.)strategy$/.test(pattern)) return false;
  return (
    map.entries.some(({ name }) => name === 'rollingUpdate') &&
    map.entries.some(
      ({ name, value }) => name === 'type' && value.kind === 'scalar' && value.value === 'Recreate',
    )
  );
}
