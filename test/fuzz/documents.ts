import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { parseCodeOwners, ownersOfAll } from '../../src/config/code-owners.ts';
import { globProblem, matchesGlob } from '../../src/config/glob.ts';
import { parseRepositoryConfig } from '../../src/config/parse-repository-config.ts';
import { scheduleProblem, windowAt } from '../../src/config/schedule.ts';
import { readResourceList } from '../../src/function/resource-list.ts';
import { readKptfile, withName } from '../../src/package/kptfile.ts';
import { readVariantDocuments } from '../../src/package/variant/read-document.ts';
import { damaged, fuzz, hostileText, soup, tolerant, YAML_PIECES } from './fuzzing.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

const CONFIGURATION = `apiVersion: config.portico.dev/v1alpha1
kind: Repository
metadata: { name: blueprints }
spec:
  branch: main
  directory: /
  deployment: false
  versioning: sequence
  defaultUpstream: { repo: acme/blueprints }
  guardrails:
    mutators:   [{ name: team-label, image: set-labels:v0.2, configMap: { team: platform } }]
    validators:
    - { name: schema, image: kubeconform:v0.1, mode: enforce }
    - { name: replicas, cel: "!has(object.spec.replicas) || object.spec.replicas <= 5", message: "...", mode: warn }
  access:
    propose: [write]
    approve: ["@acme/platform", maintain]
  publish: { release: true, requireApprovals: 1, allowSelfApproval: false }
  updates: { follow: latest, schedule: "* 6-18 * * 1-5", automerge: patch, maxOpen: 5 }
`;
const KPTFILE = `apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: web # the name
  annotations: { config.kubernetes.io/local-config: "true" }
upstream:
  type: git
  git: { repo: https://github.com/acme/b.git, directory: /web, ref: web/v1 }
  updateStrategy: resource-merge
upstreamLock:
  type: git
  git: { repo: https://github.com/acme/b.git, directory: /web, ref: web/v1, commit: 1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d }
info: { description: a package, keywords: [a] }
pipeline:
  mutators:
  - image: set-labels:v0.2
    selectors: [{ kind: Deployment }]
    configMap: { tier: web }
status:
  conditions: [{ type: Rendered, status: "True" }]
`;
const VARIANT = `apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: { name: one, namespace: default }
spec:
  upstream: { repo: blueprints, package: web, revision: 3 }
  downstream: { repo: deploy, package: shop }
  adoptionPolicy: adoptExisting
  packageContext: { data: { region: eu }, removeKeys: [x] }
  pipeline: { mutators: [{ image: set-labels:v0.2, name: a, configMap: { a: b } }] }
  injectors: [{ name: here, kind: ConfigMap }]
---
apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: { name: many }
spec:
  upstream: { repo: blueprints, package: web }
  targets:
  - repositories: [{ name: deploy, packageNames: [a, b] }]
    template: { downstream: { packageExpr: "repository.name + '-x'" } }
  - objectSelector: { apiVersion: v1, kind: ConfigMap, matchLabels: { a: b } }
`;
const LIST = `apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: { name: a, annotations: { internal.config.kubernetes.io/index: "0" } }
  data: { a: b } # kept
results:
- message: wrong
  severity: error
  resourceRef: { apiVersion: v1, kind: ConfigMap, name: a }
  field: { path: data.a, currentValue: b, proposedValue: [1] }
  file: { path: a.yaml, index: 0 }
  tags: { code: x }
`;

test('configuration', () =>
  fuzz({
    name: 'configuration',
    weight: 1.5,
    inputs: [fc.oneof(damaged([CONFIGURATION], YAML_PIECES), soup(YAML_PIECES)), fc.boolean()],
    check(text, twice) {
      const source = { file: '.github/portico.yaml', bytes: utf8(text) };
      const organization = { file: 'org', bytes: utf8(CONFIGURATION) };
      const result = parseRepositoryConfig(source, twice ? { organization } : {});
      if (result.ok) expect(result.config.branch).not.toBe('');
      else expect(result.problems.length).toBeGreaterThan(0);
      for (const { line, message } of result.problems) {
        expect(line).toBeGreaterThan(0);
        expect(message).not.toBe('');
      }
    },
  }));

test('Kptfile', () =>
  fuzz({
    name: 'Kptfile: read and edit',
    weight: 1.5,
    inputs: [fc.oneof(damaged([KPTFILE], YAML_PIECES), soup(YAML_PIECES)), hostileText],
    check(text, word) {
      const bytes = utf8(text);
      const read = tolerant(() => readKptfile(bytes));
      const renamed = tolerant(() => withName(bytes, word));
      if (renamed === undefined || read === undefined || read.problems.length > 0) return;
      const again = readKptfile(renamed);
      expect(again.problems.filter(({ path }) => path !== 'metadata.name')).toEqual([]);
      // A half surrogate is written as an escape, and read back as it was or as the character that stands for it.
      if (again.problems.length === 0) expect(again.kptfile.name?.toWellFormed()).toBe(word.toWellFormed());
    },
  }));

test('variant documents', () =>
  fuzz({
    name: 'variant documents',
    weight: 1.5,
    inputs: [fc.oneof(damaged([VARIANT], YAML_PIECES), soup(YAML_PIECES))],
    check(text) {
      const { documents, problems } = readVariantDocuments(text);
      for (const { line } of [...documents, ...problems]) expect(line).toBeGreaterThan(0);
    },
  }));

test('what functions print', () =>
  fuzz({
    name: 'function results',
    weight: 1.5,
    inputs: [fc.oneof(damaged([LIST], YAML_PIECES), soup(YAML_PIECES))],
    check(text) {
      const read = readResourceList(text, []);
      if (typeof read === 'string') return expect(read).not.toBe('');
      for (const { message } of read.results) expect(message.length).toBeLessThanOrEqual(8_300);
    },
  }));

test('owners, globs, schedules', () => {
  const pieces = [
    '*',
    '**',
    '/',
    '\\',
    '[',
    ']',
    '{',
    '}',
    ',',
    '!',
    '?',
    ' ',
    '\n',
    '#',
    '@a',
    '@a/b',
    'x',
    '..',
    '0',
    '-',
    '5',
    '60',
    '1-5',
    '*/',
  ];
  return fuzz({
    name: 'owners, globs, schedules',
    weight: 2,
    inputs: [soup(pieces, 14), soup(['a', '/', 'b', '.', '*', '[', '\\'], 8)],
    check(text, path) {
      for (const owner of ownersOfAll(parseCodeOwners(text), [path]).flatMap(({ owners }) => owners))
        expect(owner).not.toBe('');
      if (globProblem(text) === undefined) matchesGlob(path, [text]);
      if (scheduleProblem(text) === undefined) windowAt(text, 'Europe/Berlin', new Date(0));
    },
  });
});
