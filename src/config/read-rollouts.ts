import { closestWord } from '../package/closest-word.ts';
/** The `Rollout` documents of one file below `.github/portico/`. */
import type { Rollout, Share, Wave, WaveGate } from '../package/rollout/rollout.ts';
import { parseAge } from './age.ts';
import type { ConfigProblem } from './config-problem.ts';
import { problemsOf, type ConfigSource } from './repository-document.ts';
import { rolloutDocument, rolloutJsonSchema, type RolloutDocument } from './rollout-schema.ts';
import { readYamlDocuments, type YamlDocument } from './yaml-place.ts';

export interface ReadRollout {
  readonly line: number;
  readonly rollout: Rollout;
}

export interface ReadRollouts {
  readonly rollouts: readonly ReadRollout[];
  readonly problems: readonly ConfigProblem[];
}

const GROUP = 'config.portico.dev/';

/**
 * Reads the rollouts of a file; documents of other groups are somebody else's. Never throws: a document with mistakes
 * gives problems with their lines in place of a rollout. YAML that cannot be read is told by who reads the rest.
 */
export function readRollouts({ file, bytes }: ConfigSource): ReadRollouts {
  const problems: ConfigProblem[] = [];
  const rollouts: ReadRollout[] = [];
  // Most files are variants, and reading them twice would cost as much again.
  if (!new TextDecoder().decode(bytes).includes(GROUP)) return { rollouts, problems };
  for (const yaml of readYamlDocuments(file, bytes).documents) {
    const { apiVersion, kind } = (yaml.data ?? {}) as { apiVersion?: unknown; kind?: unknown };
    if (typeof apiVersion !== 'string' || !apiVersion.startsWith(GROUP)) continue;
    if (kind !== 'Rollout') {
      problems.push(...otherKind(file, kind, yaml));
      continue;
    }
    const parsed = rolloutDocument.safeParse(yaml.data, { reportInput: true });
    if (parsed.success)
      rollouts.push({ line: yaml.placeOf(['apiVersion'], true).line, rollout: toRollout(parsed.data) });
    else
      problems.push(
        ...parsed.error.issues.flatMap((one) =>
          problemsOf({ file, issue: one, yaml, jsonSchema: rolloutJsonSchema }),
        ),
      );
  }
  return { rollouts, problems };
}

/** A slip of the pen must not switch a rollout off without a word. */
function otherKind(file: string, kind: unknown, yaml: YamlDocument): ConfigProblem[] {
  if (typeof kind !== 'string' || closestWord(kind, ['Rollout']) === undefined) return [];
  const message = `kind is ${JSON.stringify(kind)}, which is none of ${GROUP.slice(0, -1)}`;
  const place = yaml.placeOf(['kind']);
  return [{ code: 'wrong-value', file, path: 'kind', ...place, message, hint: 'Did you mean Rollout?' }];
}

const ALL: Share = { kind: 'percent', percent: 100 };

function toRollout({ metadata, spec }: RolloutDocument): Rollout {
  return {
    name: metadata.name,
    upstreams: spec.upstreams.map(({ repo, packages }) => ({
      packages,
      ...(repo !== undefined && { repo }),
    })),
    waves: spec.waves.map(toWave),
  };
}

function toWave({
  name,
  select = {},
  size,
  pauseAfter,
  gate,
}: RolloutDocument['spec']['waves'][number]): Wave {
  const { repositories, packages, topics, properties, deployment } = select;
  return {
    name,
    select: {
      ...(repositories && { repositories }),
      ...(packages && { packages }),
      ...(topics && { topics }),
      ...(properties && { properties }),
      ...(deployment !== undefined && { deployment }),
    },
    ...(size !== undefined && { size: toShare(size) }),
    gate: toGate(gate),
    pauseAfter: seconds(pauseAfter) ?? 0,
  };
}

function toGate(gate: RolloutDocument['spec']['waves'][number]['gate']): WaveGate {
  const timeout = seconds(gate?.timeout);
  return {
    published: gate?.published === undefined ? ALL : toShare(gate.published),
    statuses: gate?.statuses ?? [],
    deployments: gate?.deployments ?? [],
    ...(timeout !== undefined && { timeout }),
    onFailure: gate?.onFailure ?? 'stop',
  };
}

function toShare(written: number | string): Share {
  return typeof written === 'number'
    ? { kind: 'count', count: written }
    : { kind: 'percent', percent: Number(written.slice(0, -1)) };
}

/** The schema has refused what is no age. */
function seconds(written: string | undefined): number | undefined {
  const parsed = written === undefined ? undefined : parseAge(written);
  return typeof parsed === 'number' ? parsed : undefined;
}
