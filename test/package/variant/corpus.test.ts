import { readFileSync } from 'node:fs';

import { afterAll, describe, expect, test } from 'vitest';

import {
  decideVariant,
  downstreamsOf,
  isUpToDate,
  lettingGo,
  newWorkspaceName,
  type RevisionAction,
} from '../../../src/package/variant/decide.ts';
import { expandSet } from '../../../src/package/variant/expand.ts';
import { injectionPoints } from '../../../src/package/variant/injection-points.ts';
import { mutatePackage } from '../../../src/package/variant/mutate.ts';
import { upstreamOfVariant, type PackageRevision } from '../../../src/package/variant/package-revision.ts';
import { readVariantDocuments } from '../../../src/package/variant/read-document.ts';
import type { ValidVariant } from '../../../src/package/variant/variant-types.ts';
import {
  casesOf,
  documentsIn,
  filesOf,
  hasCorpus,
  looseVariant,
  plain,
  revisionsOf,
  rightOf,
  textOf,
  worldOf,
  yamlOf,
  type Data,
} from './corpus.ts';

/** Cases that docs/variants-differences.md lists with a reason. */
const LISTED = new Set(
  [
    ...readFileSync(new URL('../../../docs/variants-differences.md', import.meta.url), 'utf8').matchAll(
      /^\| `([a-z]+\/\d+)[^`]*` \|/gm,
    ),
  ].map((match) => match[1]!),
);

const tally = { equal: 0, listed: 0 };

/**
 * Documents that Porch refuses for nothing but a revision that is written as a text, or for the older version of sets, which
 * it defines and does not serve: the first three rows of that list are such.
 */
function isOldForm(group: string, name: string): boolean {
  const errors: unknown = group === 'real' ? yamlOf(group, name, 'case.yaml').schema?.errors : undefined;
  return (
    Array.isArray(errors) &&
    errors.every((error) =>
      /^spec\.upstream\.revision: Invalid value: "string"|^no matches for kind "PackageVariantSet" in version \S+\/v1alpha1"$/.test(
        String(error),
      ),
    )
  );
}

/** A case is as the corpus says, or it is listed with a reason and differs. */
function golden(group: string, check: (name: string) => void): void {
  test.each(casesOf(group))('%s', (name) => {
    const id = `${group}/${name.split('-')[0]!}`;
    if (!LISTED.has(id) && !isOldForm(group, name)) {
      check(name);
      tally.equal += 1;
      return;
    }
    expect(() => check(name), 'is listed as different, and is equal').toThrow();
    tally.listed += 1;
  });
}

describe.skipIf(!hasCorpus)('the golden cases of variants', () => {
  describe('validate', () => {
    golden('validate', (name) => {
      const found = yamlOf('validate', name, 'case.yaml');
      const expected = found.porchBug === true ? found.expectedRight : found.expect;
      const [document] = readVariantDocuments(textOf('validate', name, 'input.yaml')).documents;
      const errors = document?.kind === 'refused' ? document.problems.map(({ message }) => message) : [];
      expect(errors).toEqual(expected === 'valid' ? [] : expected.errors);
      if (document?.kind === 'refused') {
        for (const { line } of document.problems) expect(line).toBeGreaterThan(0);
      }
    });
  });

  describe('targets', () => {
    golden('targets', (name) => {
      const found = yamlOf('targets', name, 'case.yaml');
      const expected = rightOf(found, yamlOf('targets', name, 'expected.yaml'));
      const world = yamlOf('targets', name, 'world.yaml');
      const [document] = readVariantDocuments(textOf('targets', name, 'variantset.yaml')).documents;
      if (document?.kind === 'refused') {
        const said = document.problems.map(({ message }) => message).join('; ');
        expectMessage({ reason: 'ValidationError', message: said }, expected.error);
        return;
      }
      expect(document?.kind).toBe('set');
      if (document?.kind !== 'set') return;
      const { variants, problems } = expandSet(document.set, worldOf(world));
      if (expected.error !== undefined) {
        expectMessage(problems[0], expected.error);
        return;
      }
      expect(problems).toEqual([]);
      if (expected.downstreams !== undefined) {
        expect(variants.map(({ spec }) => spec.downstream)).toEqual(expected.downstreams);
        for (const { metadata } of variants)
          expect(metadata.name).toMatch(/^[a-z0-9][-a-z0-9]{0,61}[a-z0-9]$/);
        return;
      }
      const made = variants.map(({ metadata, spec }) => ({
        name: metadata.name,
        spec: plain(spec as never),
      }));
      expect(made).toEqual(
        expected.packageVariants.map(({ metadata, spec }: Data) => ({ name: metadata.name, spec })),
      );
      if (world.packageVariants === undefined) return;
      const names = new Set(variants.map(({ metadata }) => metadata.name));
      const before = world.packageVariants.map(({ metadata }: Data) => metadata.name as string);
      expect([...names].filter((one) => !before.includes(one))).toEqual(expected.create);
      expect(before.filter((one: string) => names.has(one)).toSorted()).toEqual(expected.update);
      expect(before.filter((one: string) => !names.has(one))).toEqual(expected.delete);
    });
  });

  describe('mutate', () => {
    golden('mutate', (name) => {
      const found = yamlOf('mutate', name, 'case.yaml');
      const expected = yamlOf('mutate', name, 'expected.yaml');
      const variant = looseVariant(textOf('mutate', name, 'variant.yaml'));
      const before = filesOf('mutate', name, 'package-in')!;
      const { objects } = worldOf(yamlOf('mutate', name, 'inventory.yaml') ?? {});
      const namespace = variant.metadata.namespace ?? 'default';
      const inventory = objects.map((one) => ({
        ...one,
        metadata: { ...one.metadata, namespace: one.metadata.namespace ?? namespace },
      }));
      const result = mutatePackage(before, variant, inventory);
      if (found.expect === 'error') {
        expect(result.ok).toBe(false);
        if (!result.ok)
          for (const part of expected.error.messageContains) expect(result.message).toContain(part);
        return;
      }
      if (!result.ok) throw new Error(result.message);
      if (expected?.injectionPoints !== undefined) {
        const points = injectionPoints(before);
        if (!points.ok) throw new Error(points.message);
        expect(
          points.points.map(({ file, required, conditionType }) => ({ file, required, conditionType })),
        ).toEqual(expected.injectionPoints);
      }
      const after = (filesOf('mutate', name, 'package-out-right') ?? filesOf('mutate', name, 'package-out'))!;
      expect([...result.value.keys()].toSorted()).toEqual([...after.keys()].toSorted());
      for (const [path, { bytes }] of after) {
        const own = result.value.get(path)!.bytes;
        if (/(?:^|\/)Kptfile$|\.ya?ml$/.test(path))
          expect(documentsIn(own), path).toEqual(documentsIn(bytes));
        else expect(Buffer.from(own).equals(bytes), path).toBe(true);
      }
      const again = mutatePackage(result.value, variant, inventory);
      if (!again.ok) throw new Error(again.message);
      for (const [path, { bytes }] of result.value) {
        expect(Buffer.from(again.value.get(path)!.bytes).toString(), path).toBe(
          Buffer.from(bytes).toString(),
        );
      }
    });
  });

  describe('reconcile', () => {
    golden('reconcile', (name) => {
      const found = yamlOf('reconcile', name, 'case.yaml');
      const expected = rightOf(found, yamlOf('reconcile', name, 'expected.yaml'));
      const variant = looseVariant(textOf('reconcile', name, 'variant.yaml')) as ValidVariant;
      const revisions = revisionsOf(yamlOf('reconcile', name, 'world.yaml').packageRevisions);
      const decision = decideVariant(variant, revisions);
      const downstreams = downstreamsOf(variant, revisions);
      if (expected.upstream !== undefined) {
        const upstream = upstreamOfVariant(
          revisions,
          variant.spec.upstream,
          variant.metadata.namespace ?? 'default',
        );
        expect(upstream?.metadata.name).toBe(expected.upstream);
      }
      if (expected.newWorkspaceName !== undefined) {
        expect(newWorkspaceName(variant, revisions)).toBe(expected.newWorkspaceName);
      }
      if (expected.after !== undefined || isDeletion(name)) {
        const actions = lettingGo(variant, revisions[0]!);
        expectActions(actions, expected.actions);
        const [action] = actions;
        if (expected.after !== undefined && action?.action === 'update') {
          expect(action.after).toEqual(revisionsOf([expected.after])[0]);
        }
        return;
      }
      if (expected.actions !== undefined) expectActions(downstreams.actions, expected.actions);
      if (expected.targets !== undefined) {
        const whole = typeof expected.targets[0] === 'object';
        if (whole) expect(downstreams.targets).toEqual(revisionsOf(expected.targets));
        else expect(downstreams.targets.map(({ metadata }) => metadata.name)).toEqual(expected.targets);
      }
      if (decision.ok && expected.upToDate !== undefined) {
        const [target] = downstreams.targets;
        expect(isUpToDate(target!, decision.upstream).upToDate).toBe(expected.upToDate);
      }
      const step = decision.ok ? decision.steps[0] : undefined;
      if (expected.error !== undefined) {
        const message = decision.ok ? (step?.kind === 'stalled' ? step.message : '') : decision.message;
        expectMessage({ message }, expected.error);
      }
      if (expected.updateInPlace !== undefined) {
        expect(step).toMatchObject({
          kind: 'update-in-place',
          target: named(expected.updateInPlace.target),
          old: named(expected.updateInPlace.from),
          upstream: named(expected.updateInPlace.to),
        });
      }
      if (expected.create !== undefined) expectCreate(variant, step, expected.create);
    });
  });

  describe('real', () => {
    golden('real', (name) => {
      const found = yamlOf('real', name, 'case.yaml');
      const expected = found.porchBug === true ? found.expectedRight : found.expect;
      const { documents, problems } = readVariantDocuments(textOf('real', name, 'input.yaml'));
      const document = documents[0];
      const accepted = problems.length === 0 && (document?.kind === 'variant' || document?.kind === 'set');
      expect(accepted).toBe(expected.accepted);
      if (document?.kind !== 'variant' || expected.create === undefined) return;
      // In Portico the placeholder of the branch is there for every package: its newest published revision.
      const { upstream, downstream } = document.variant.spec;
      const placeholder: PackageRevision = {
        metadata: { name: 'placeholder', labels: {}, annotations: {}, owners: [] },
        repository: upstream.repo,
        package: upstream.package,
        revision: -1,
        workspaceName: 'main',
        lifecycle: 'Published',
      };
      const decision = decideVariant(document.variant, [placeholder]);
      expect(decision).toMatchObject({ ok: true, steps: [{ kind: 'clone', upstream: placeholder }] });
      expect(downstream).toEqual(expected.create);
    });
  });

  afterAll(() => {
    const all = tally.equal + tally.listed;
    const share = ((tally.equal / all) * 100).toFixed(1);
    process.stderr.write(
      `variants: ${tally.equal} of ${all} as the corpus says (${share} %), ${tally.listed} listed\n`,
    );
    expect(tally.equal / all).toBeGreaterThanOrEqual(0.98);
  });
});

function named(name: string): Data {
  return { metadata: { name } };
}

function isDeletion(name: string): boolean {
  return name.includes('-deletion-deletionpolicy-');
}

function expectMessage(said: Data, error: Data): void {
  expect(error, `unexpected: ${JSON.stringify(said)}`).toBeDefined();
  expect(said).toBeDefined();
  if (error.reason !== undefined) expect(said.reason).toBe(error.reason);
  if (error.message !== undefined && error.messageContains === undefined)
    expect(said.message).toBe(error.message);
  for (const part of error.messageContains ?? []) expect(said.message).toContain(part);
}

function expectActions(actions: readonly RevisionAction[], expected: Data[]): void {
  const shown = actions.map((one) => ({
    action: one.action,
    name: one.name,
    ...(one.action === 'update' && { lifecycle: one.after.lifecycle }),
  }));
  expect(shown.length).toBe(expected.length);
  expect(shown).toMatchObject(expected);
}

function expectCreate(variant: ValidVariant, step: Data, create: Data): void {
  const { downstream } = variant.spec;
  expect({ repository: downstream.repo, packageName: downstream.package }).toEqual({
    repository: create.repository,
    packageName: create.packageName,
  });
  expect(step.workspaceName).toBe(create.workspaceName);
  expect(create.lifecycle).toBe('Draft');
  if (create.task.type === 'upgrade') {
    expect(create.task.strategy).toBe('resource-merge');
    expect(step).toMatchObject({
      kind: 'upgrade',
      old: named(create.task.oldUpstream),
      upstream: named(create.task.newUpstream),
      local: named(create.task.local),
    });
  } else {
    expect(step).toMatchObject({ kind: 'clone' });
  }
}
