/** The `Rollout` documents of one file below `.github/portico/`. */
import { z } from 'zod';

import { closestWord } from '../package/closest-word.ts';
import type { Rollout, Share, Wave, WaveGate } from '../package/rollout/rollout.ts';
import { parseAge } from './age.ts';
import type { ConfigProblem } from './config-problem.ts';
import { problemsOf, type ConfigSource } from './repository-document.ts';
import {
  rolloutDocument,
  rolloutJsonSchema,
  rolloutName,
  rolloutOwners,
  rolloutUpstreams,
  type RolloutDocument,
} from './rollout-schema.ts';
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
 * Reads the rollouts of a file; documents of other groups are somebody else's. Never throws: a document with mistakes gives
 * problems with their lines, and a rollout that holds what it names, so that a mistake never lets an update past its wave.
 * YAML that cannot be read is told by who reads the rest.
 */
export function readRollouts({ file, bytes }: ConfigSource): ReadRollouts {
  const problems: ConfigProblem[] = [];
  const rollouts: ReadRollout[] = [];
  // Most files are variants, and reading them twice would cost as much again.
  const text = new TextDecoder().decode(bytes);
  if (!text.includes(GROUP)) return { rollouts, problems };
  const { documents, problems: unread } = readYamlDocuments(file, bytes);
  const [first] = unread;
  if (first !== undefined && /\bRollout\b/.test(text)) {
    rollouts.push({ line: first.line, rollout: heldRollout(file, first.line, {}) });
  }
  for (const yaml of documents) {
    const { apiVersion, kind } = (yaml.data ?? {}) as { apiVersion?: unknown; kind?: unknown };
    if (typeof apiVersion !== 'string' || !apiVersion.startsWith(GROUP)) continue;
    if (kind !== 'Rollout') {
      const slips = otherKind(file, kind, yaml);
      problems.push(...slips);
      const { line } = yaml.start;
      if (slips.length > 0) rollouts.push({ line, rollout: heldRollout(file, line, yaml.data) });
      continue;
    }
    const parsed = rolloutDocument.safeParse(yaml.data, { reportInput: true });
    const { line } = yaml.placeOf(['apiVersion'], true);
    if (parsed.success) rollouts.push({ line, rollout: toRollout(parsed.data) });
    else {
      rollouts.push({ line, rollout: heldRollout(file, line, yaml.data) });
      problems.push(
        ...parsed.error.issues.flatMap((one) =>
          problemsOf({ file, issue: one, yaml, jsonSchema: rolloutJsonSchema }),
        ),
      );
    }
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

/** What a document with mistakes names still. */
const named = z.object({
  metadata: z.object({ name: rolloutName }).optional().catch(undefined),
  spec: z
    .object({
      upstreams: z.array(z.unknown()).min(1).optional().catch(undefined),
      owners: rolloutOwners.optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

/** The rollout of a document that cannot be followed: it holds the packages that it names, or all where that cannot be read. */
function heldRollout(file: string, line: number, data: unknown): Rollout {
  const { metadata, spec } = named.safeParse(data).data ?? {};
  const upstreams = rolloutUpstreams.safeParse(spec?.upstreams).data;
  return {
    name: metadata?.name ?? nameless(file, line),
    upstreams: (upstreams ?? [EVERYWHERE]).map(({ repo, packages }) => ({
      packages,
      ...(repo !== undefined && { repo }),
    })),
    ...(upstreams === undefined && { isEverywhere: true }),
    ...(spec?.owners && { owners: spec.owners }),
    waves: [],
    mistake: `The document at ${file}:${line} has a mistake; no update goes out by itself until it is corrected.`,
  };
}

/** As names are; of another document only where the paths differ in signs alone, and then both are held. */
function nameless(file: string, line: number): string {
  return `unnamed-${file.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}-${line}`;
}

/** The rollout of a file that is too long to be read, which may hold any. */
export function unreadRollouts(file: string): readonly ReadRollout[] {
  return [{ line: 1, rollout: heldRollout(file, 1, {}) }];
}

const EVERYWHERE: Rollout['upstreams'][number] = { packages: ['**'] };

const ALL: Share = { kind: 'percent', percent: 100 };

function toRollout({ metadata, spec }: RolloutDocument): Rollout {
  return {
    name: metadata.name,
    upstreams: spec.upstreams.map(({ repo, packages }) => ({
      packages,
      ...(repo !== undefined && { repo }),
    })),
    waves: spec.waves.map(toWave),
    ...(spec.owners && { owners: spec.owners }),
  };
}

function toWave({
  name,
  select = {},
  size,
  pauseAfter,
  gate,
}: RolloutDocument['spec']['waves'][number]): Wave {
  const { repositories, packages, topics, properties, labels, inventory, deployment } = select;
  return {
    name,
    select: {
      ...(repositories && { repositories }),
      ...(packages && { packages }),
      ...(topics && { topics }),
      ...(properties && { properties }),
      ...(labels && { labels }),
      ...(inventory && { inventory: { kind: inventory.kind, labels: inventory.labels ?? {} } }),
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
    ...(gate?.manual && { manual: gate.manual }),
    ...(gate?.urls && { urls: gate.urls }),
    ...(gate?.stopAt !== undefined && { stopAt: toShare(gate.stopAt) }),
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
