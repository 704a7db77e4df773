import { existsSync, readdirSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import type { MergeResult } from '../../../src/package/merge/merge-types.ts';
import { mergePackages } from '../../../src/package/merge/merge.ts';
import { longTest } from '../../long-test.ts';
import { DEFECTS, defectCases, hasCorpus, isHuge, mergeCases, textOf, treesOf } from './corpus.ts';

interface Told {
  /** `file:path` of each conflict, and the side that it takes. */
  readonly conflicts?: readonly string[];
  /** Codes of the notes. */
  readonly notes?: readonly string[];
  /** Texts that the merged package has, and has not. */
  readonly has?: readonly string[];
  readonly hasNot?: readonly string[];
}

const CONTAINERS = 'd.yaml:spec.template.spec.containers[name=web]';

/** What must hold in each case, beside that a second merge changes nothing. */
const CASES: Readonly<Record<string, Told>> = {
  'c01-setter-last-line-of-item': { has: ['sidecar:1.0 # kpt-set: registry.example/sidecar:${tag}'] },
  'c02-setter-last-line-of-map': { has: ['value: eu # kpt-set: ${region}'] },
  'c03-setter-in-scalar-list': { has: ['- --log=info # kpt-set: --log=${level}'] },
  'c06-setter-last-line-of-doc': { has: ['c: three # kpt-set: ${c}', 'a: mine'] },
  'c07-comment-foot-of-doc': { has: ['c: three\n  # d: four (example)\n', 'a: mine'] },
  'c08-comment-block-with-blank': { has: ['  # B is deprecated, see docs\n\n  b: two', 'a: mine'] },
  'c12-comment-in-tolerations': { has: ['      # spot nodes\n      - key: b # spot\n'] },
  'f05-file-vs-dir': { conflicts: ['conf: local'], has: ['i am a file'] },
  'f06-dir-vs-file': { conflicts: ['conf: local'], hasNot: ['now a file'] },
  'j05-json-null': { has: ['{"a": null, "b": 3, "c": null}'] },
  'k01-local-inserts-same-image-first-up-edits': {
    has: ['put-value: NEW', 'put-value: A2'],
    hasNot: ['put-value: A\n'],
  },
  'k12-local-removed-pipeline-up-edits': { conflicts: ['Kptfile:pipeline upstream'] },
  'k14-exec-to-image': { has: ['- exec: fn-label a=mine\n  - image: ghcr.io/x/label:v1'] },
  'l01-svc-53-conflict-path': {
    conflicts: ['s.yaml:spec.ports[name=dns-tcp,port=53].targetPort upstream'],
  },
  'l06-env-dup-up-removes-first-local-edits-second': { has: ['value: ap'], hasNot: ['value: us'] },
  'l15-containers-rename-both': { notes: ['RENAMED_TWICE'] },
  'l18-volume-type-change-both': {
    conflicts: ['d.yaml:spec.template.spec.volumes[name=data].emptyDir upstream'],
    hasNot: ['emptyDir'],
  },
  'm18-local-delete-and-add-similar': { conflicts: ['all.yaml: local'], hasNot: ['x: up'] },
  'q01-moved-upstream-field-conflict': { conflicts: ['app/d.yaml:data.x upstream'] },
  'q02-renamed-upstream-field-conflict': {
    conflicts: ['d.yaml:data.x upstream'],
    notes: ['TAKEN_FOR_RENAMED'],
  },
  'q05-same-name-two-namespaces-other-apigroup': { conflicts: ['p.yaml:spec.s upstream'] },
  'q15-sub-only-new-file-in-deleted-sub': { notes: ['SUBPACKAGE_DELETED'] },
  's08-up-dissolves-sub-kptfile-local-edits-other': { notes: ['KPTFILE_GONE_UPSTREAM'] },
  's09-up-dissolves-sub-local-adds-comment-format': { has: ['    name: a', '    x: up'] },
  's11-up-deletes-sub-local-adds-file': { conflicts: ['sub/Kptfile: local'] },
  's13-sub-upstream-pin-both': { conflicts: ['sub/Kptfile:upstream.git.ref upstream'] },
  's14-root-kptfile-gone-upstream-local-same': { notes: ['KPTFILE_GONE_UPSTREAM'] },
  'v01-local-removes-probe-up-adds-field': {
    conflicts: [`${CONTAINERS}.livenessProbe upstream`],
    has: ['httpGet'],
  },
  'v02-up-removes-probe-local-adds-field': {
    conflicts: [`${CONTAINERS}.livenessProbe upstream`],
    hasNot: ['livenessProbe'],
  },
  'v07-svc-selector-removed-local-up-adds': {
    conflicts: ['s.yaml:spec.selector upstream'],
    has: ['app: dns'],
  },
  'v08-configpath-vs-configmap': {
    conflicts: ['Kptfile:pipeline.mutators[name=labels].configMap upstream'],
    hasNot: ['team: mine'],
  },
  'v09-strategy-recreate': {
    conflicts: ['d.yaml:spec.strategy.rollingUpdate upstream'],
    hasNot: ['maxSurge'],
  },
  'w01-local-drops-a-has-b-up-adds-same-b': { hasNot: ['---', 'name: a'] },
  'w02-same-different-content': { conflicts: ['all.yaml: local', 'all.yaml:data.y upstream'] },
  'x03-steps-both-reorder-differently': { notes: ['ORDER_FROM_UPSTREAM'] },
  'x06-containers-up-reorders-init': { notes: ['ORDER_KEPT'] },
  'x07-up-inserts-initcontainer-first': { notes: ['ORDER_KEPT'] },
  'x18-probe-handler-change': {
    conflicts: [`${CONTAINERS}.livenessProbe.httpGet upstream`],
    hasNot: ['httpGet'],
  },
  'y01-setter-item-replaced-upstream': { has: ['- --verbose\n'] },
  'y02-setter-items-swapped-upstream': {
    has: ['- --listen=:8080 # kpt-set: --listen=:${port}', '- --v=2 # kpt-set: --v=${verbosity}'],
  },
};

const hasCases = existsSync(DEFECTS);
if (!hasCases) console.warn(`SKIPPED: no cases of merge defects at ${DEFECTS}`);

describe.skipIf(!hasCases)('merges that were wrong', () => {
  test('each case has its row', () => {
    const refused = ['k16-v1alpha2'];
    expect([...Object.keys(CASES), ...refused].sort()).toEqual(readdirSync(DEFECTS).sort());
  });

  test.each(Object.entries(CASES))('%s', (id, told) => {
    const trees = treesOf(id);
    const result = mergePackages(trees);
    const text = [...result.files.values()].map(textOf).join('\n');
    expect(result.conflicts.map((one) => `${one.file}:${one.path} ${one.taken}`)).toEqual(
      told.conflicts ?? [],
    );
    expect(result.notes.map(({ code }) => code)).toEqual(told.notes ?? []);
    for (const part of told.has ?? []) expect(text).toContain(part);
    for (const part of told.hasNot ?? []) expect(text).not.toContain(part);
    expect(mergePackages({ ...trees, local: result.files }).changed).toEqual([]);
  });

  test('a Kptfile of an old apiVersion stops the update, as with kpt', () => {
    expect(() => mergePackages(treesOf('k16-v1alpha2'))).toThrow(
      expect.objectContaining({ code: 'KPTFILE_VERSION' }),
    );
  });
});

describe.skipIf(!hasCorpus() || !hasCases)('every case of the corpora', () => {
  const cases = hasCorpus() && hasCases ? [...mergeCases(), ...defectCases()] : [];

  for (const one of cases) {
    (isHuge(one) ? longTest : test)(`${one.name}: settled either way, nothing is left`, () => {
      const first = attempt(() => mergePackages(one));
      if (first === undefined) return;
      for (const side of ['upstream', 'local'] as const) {
        const decisions = new Map(first.conflicts.map(({ id }) => [id, side]));
        const settled = mergePackages({ ...one, decisions });
        expect(settled.conflicts).toEqual([]);
        expect(settled.strayDecisions).toEqual([]);
      }
      if (one.strategy !== 'fast-forward')
        expect(mergePackages({ ...one, local: first.files }).changed).toEqual([]);
    });
  }
});

/** Undefined where the merge refuses, which other tests look at. */
function attempt(merge: () => MergeResult): MergeResult | undefined {
  try {
    return merge();
  } catch {
    return undefined;
  }
}
