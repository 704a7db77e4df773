/** The golden cases of variants: what Porch's controllers did. docs/variants-differences.md has the reasons of those that differ. */
import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import type { PackageFiles } from '../../../src/package/package.ts';
import { decideVariant, type RevisionAction, type Step } from '../../../src/package/variant/decide.ts';
import { expandSet } from '../../../src/package/variant/expand.ts';
import { mutatePackage } from '../../../src/package/variant/mutate.ts';
import type { PackageRevision } from '../../../src/package/variant/package-revision.ts';
import { readVariantDocuments } from '../../../src/package/variant/read-document.ts';
import type { ValidVariant, ValidVariantSet } from '../../../src/package/variant/variant-types.ts';
import { readCases } from '../../corpus/read-cases.ts';
import {
  documentOf,
  packageOf,
  variantCase,
  worldOfCase,
  type VariantCase,
  type VariantResult,
} from '../../corpus/variant-case.ts';
import { documentsIn, plain, worldIn } from './world.ts';

type Write = NonNullable<VariantResult['writes']>[number];

const CASES = readCases('variants', variantCase);

/** Portico's answer in the form of Porch's. */
function answerOf(one: VariantCase): VariantResult {
  const { documents, problems } = readVariantDocuments(documentOf(one));
  const [world, files] = [worldOfCase(one), packageOf(one)];
  const [document] = documents;
  switch (document?.kind) {
    case 'refused': {
      for (const { line } of document.problems) expect(line).toBeGreaterThan(0);
      const message = document.problems.map((problem) => problem.message).join('; ');
      return {
        stalled: document.document === 'PackageVariant' ? message : { reason: 'ValidationError', message },
      };
    }
    case 'set':
      return expand(document.set, world);
    case 'variant':
      return files === undefined ? decide(document.variant, world) : mutate(document.variant, world, files);
    default:
      return { refused: problems.map(({ message }) => message).join('; ') };
  }
}

function expand(set: ValidVariantSet, text: string): VariantResult {
  const world = worldIn(text);
  const { variants, problems } = expandSet(set, world);
  const names = variants.map(({ metadata }) => metadata.name);
  for (const name of names) expect(name).toMatch(/^[a-z0-9][-a-z0-9]{0,61}[a-z0-9]$/);
  const deleted = world.variants.filter((name) => !names.includes(name)).sort();
  const [problem] = problems;
  return {
    ...((problem === undefined || names.length > 0) && {
      variants: variants.map(({ metadata, spec }) => ({ name: metadata.name, spec: plain(spec as never) })),
    }),
    ...(deleted.length > 0 && { deleted }),
    ...(problem !== undefined && { stalled: { reason: problem.reason, message: problem.message } }),
  };
}

function decide(variant: ValidVariant, text: string): VariantResult {
  const asked = { ...variant, metadata: { uid: 'asked', ...variant.metadata } };
  const decision = decideVariant(asked, worldIn(text).packageRevisions);
  if (!decision.ok) return { stalled: decision.message };
  const { steps, downstreams } = decision;
  const writes = [...downstreams.actions.map(writeOf), ...steps.flatMap((step) => madeBy(step, variant))];
  const stalled = steps.find((step) => step.kind === 'stalled');
  const targets = steps.map((step, at) =>
    step.kind === 'clone' || step.kind === 'upgrade'
      ? nameOf(step, variant)
      : downstreams.targets[at]!.metadata.name,
  );
  return {
    ...(writes.length > 0 && { writes }),
    ...(stalled === undefined ? { targets: targets.sort() } : { error: stalled.message }),
  };
}

const nameOf = ({ workspaceName }: { readonly workspaceName: string }, { spec }: ValidVariant): string =>
  `${spec.downstream.repo}.${spec.downstream.package}.${workspaceName}`;

function writeOf(one: RevisionAction): Write {
  if (one.action === 'delete') return { delete: one.name };
  const { lifecycle, metadata } = one.after;
  const { labels, annotations, owners } = metadata;
  return { update: one.name, lifecycle, labels, annotations, owners: owners.map(({ uid }) => uid) };
}

const called = ({ metadata }: PackageRevision): string => metadata.name;

function madeBy(step: Step, variant: ValidVariant): Write[] {
  const { labels, annotations } = variant.spec;
  switch (step.kind) {
    case 'clone':
      return [{ create: nameOf(step, variant), labels, annotations, task: { clone: called(step.upstream) } }];
    case 'upgrade': {
      const { old, upstream, local } = step;
      const task = {
        old: called(old),
        new: called(upstream),
        local: called(local),
        strategy: 'resource-merge',
      };
      return [{ create: nameOf(step, variant), lifecycle: 'Draft', labels, annotations, task }];
    }
    case 'update-in-place':
      return [
        { update: called(step.target), inPlace: { old: called(step.old), new: called(step.upstream) } },
      ];
    default:
      return [];
  }
}

function mutate(variant: ValidVariant, text: string, before: Record<string, string>): VariantResult {
  const namespace = variant.metadata.namespace ?? 'default';
  const inventory = worldIn(text).objects.map((one) => ({
    ...one,
    metadata: { ...one.metadata, namespace: one.metadata.namespace ?? namespace },
  }));
  const files: PackageFiles = new Map(
    Object.entries(before).map(([path, one]) => [path, { mode: '100644', bytes: Buffer.from(one) }]),
  );
  const result = mutatePackage(files, variant, inventory);
  if (!result.ok) return { error: result.message };
  for (const [path, one] of Object.entries(before)) {
    // Porch keeps comments too, but in places of its own.
    const comments = one.match(/(?<=^|\s)# .*$/gm) ?? [];
    if (isYaml(path)) for (const comment of comments) expect(textsOf(result.value)[path]).toContain(comment);
  }
  const again = mutatePackage(result.value, variant, inventory);
  expect(again.ok && textsOf(again.value), 'a second run changes nothing').toEqual(textsOf(result.value));
  return {
    changed: Object.fromEntries(
      Object.entries(textsOf(result.value)).filter(([path, one]) => one !== before[path]),
    ),
  };
}

const isYaml = (path: string): boolean => /(?:^|\/)Kptfile$|\.ya?ml$/.test(path);

const textsOf = (files: PackageFiles): Record<string, string> =>
  Object.fromEntries([...files].map(([path, { bytes }]) => [path, Buffer.from(bytes).toString()]));

/** An answer as it is compared: without what is empty, and YAML files as data, because Porch writes them again. */
function comparable(answer: VariantResult, one: VariantCase): unknown {
  const { changed, ...rest } = answer;
  const files = Object.entries({ ...packageOf(one), ...changed }).map(([path, text]) => [
    path,
    isYaml(path) ? documentsIn(text) : text,
  ]);
  return JSON.parse(
    JSON.stringify(
      { ...rest, ...(changed !== undefined && { files: Object.fromEntries(files) }) },
      (_key, value: unknown) => {
        if (typeof value === 'string')
          return value.replace(/^(could not find upstream package revision) .*/s, '$1');
        const isEmpty =
          typeof value === 'object' &&
          value !== null &&
          !Array.isArray(value) &&
          Object.keys(value).length === 0;
        return isEmpty && _key !== 'spec' ? undefined : value;
      },
    ),
  );
}

const DOCS = readFileSync(new URL('../../../docs/variants-differences.md', import.meta.url), 'utf8');

describe('variants and sets', () => {
  test.each(CASES.map((one) => [one.name, one] as const))('%s', (_name, one) => {
    const answer = comparable(answerOf(one), one);
    const theirs = comparable(one.expected!, one);
    expect(answer).toEqual(one.portico === undefined ? theirs : comparable(one.portico, one));
    if (one.differs !== undefined) expect(answer, 'is said to differ').not.toEqual(theirs);
  });

  test('docs/variants-differences.md lists the documents that Porch refuses and Portico accepts', () => {
    const listed = [...DOCS.matchAll(/^\| `([a-z0-9-]+)` \|/gm)].map(([, name = '']) => name);
    const accepted = CASES.filter(({ expected }) => expected?.refused !== undefined).map(({ name }) => name);
    expect(listed.sort()).toEqual(accepted.sort());
  });

  test('a case says why Portico answers otherwise, and how', () => {
    const half = CASES.filter(({ differs, portico }) => (differs === undefined) !== (portico === undefined));
    expect(half.map(({ name }) => name)).toEqual([]);
  });
});
