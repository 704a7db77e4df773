/** What charts print, what packages say of processors, and states of packages that follow each other. */
import * as fc from 'fast-check';
import { test } from 'vitest';

import { checkPackage, pathProblem } from '../../src/package/limits.ts';
import { pivotOf } from '../../src/preview/pivot.ts';
import { onAnotherDay } from '../../src/processors/helm/stability.ts';
import { templateCalls } from '../../src/processors/helm/template-calls.ts';
import { processorsSchema, readsOf } from '../../src/processors/processor-spec.ts';
import { objectsOf, objectTree } from '../../src/processors/rendered-objects.ts';
import { readTargets } from '../../src/processors/target-profile.ts';
import { bundleFiles } from '../bundle/bundle-files.ts';
import { shopChart, treeOf } from '../processors/shop-chart.ts';
import { damaged, fuzz } from './fuzzing.ts';

const PRINTED = `---
# Source: shop/templates/a.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: b}
data:
  text: |
    ---
    kind: x
---
# Source: shop/templates/b.yaml
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Secret, metadata: {name: "a:b"}}
- {apiVersion: v1, kind: Secret, metadata: {name: a-b}}
`;

test('what tools print becomes files that hold the same objects', () =>
  fuzz({
    name: 'rendered objects',
    weight: 2,
    inputs: [
      damaged(
        [PRINTED],
        ['\n---\n', '...\n', '# Source: ', 'name: "../../x"', 'kind: A/B\n', 'é', '&a [*a]', '\r\n'],
      ),
    ],
    check: (text) => {
      const read = objectsOf(text, 'fuzz');
      if ('refused' in read) {
        if (read.refused.message === '' || read.refused.hint === '')
          throw new Error('a refusal without words');
        return;
      }
      const made = objectTree(read.objects);
      if ('refused' in made) return;
      if (made.files.size > read.objects.length) throw new Error('objects came out of nothing');
      checkPackage(
        new Map([...made.files].map(([path, bytes]) => [path, { mode: '100644', bytes }])),
        'fuzz',
      );
      for (const [path, bytes] of made.files) {
        const again = objectsOf(new TextDecoder().decode(bytes), path);
        if ('refused' in again || again.objects.length !== 1)
          throw new Error(`${path} does not hold one object`);
      }
    },
  }));

const TEMPLATES = Object.entries(shopChart('chart'))
  .filter(([path]) => path.includes('/templates/'))
  .map(([, text]) => text)
  .join('');

test('functions of templates are found where they stand', () =>
  fuzz({
    name: 'template calls',
    weight: 2,
    inputs: [
      damaged(
        [`${TEMPLATES}{{ now | date "2006" }}`],
        ['{{', '}}', '`', '"', '\\', '/*', '*/', '{{- now -}}', '.now', '$now', 'now'],
      ),
    ],
    check: (text) => {
      let last = 0;
      for (const { name, start, end } of templateCalls(text)) {
        if (start < last || text.slice(start, end) !== name) throw new Error(`${name} is not at ${start}`);
        last = end;
      }
      const shifted = onAnotherDay(treeOf({ 'templates/a.yaml': text }))?.get('templates/a.yaml');
      if (shifted === undefined) return;
      const shown = new TextDecoder().decode(shifted);
      if (templateCalls(shown).some(({ name }) => name === 'now'))
        throw new Error('it still asks for the time');
    },
  }));

const words = fc.constantFrom(
  'a',
  'a/b',
  'rendered',
  'rendered/x',
  '..',
  '/a',
  '',
  'chart',
  'v1',
  '--x',
  'sha256:0',
);
const entry = fc.dictionary(
  fc.constantFrom('plain', 'helm', 'registryV1', 'kustomize', 'function', 'targets', 'out', 'x'),
  fc.oneof(
    words,
    fc.dictionary(
      fc.constantFrom(
        'directory',
        'chart',
        'values',
        'release',
        'bundle',
        'installNamespace',
        'image',
        'with',
        'target',
        'hooks',
      ),
      fc.oneof(words, fc.array(words, { maxLength: 3 })),
    ),
  ),
  { maxKeys: 3 },
);

test('processors are read or refused, and fill no directory that they read', () =>
  fuzz({
    name: 'processor documents',
    weight: 2,
    inputs: [fc.array(entry, { maxLength: 4 })],
    check: (value) => {
      const read = processorsSchema.safeParse(value);
      if (!read.success) {
        if (read.error.issues.some(({ message }) => message === ''))
          throw new Error('an issue without words');
        return;
      }
      for (const processor of read.data) {
        const { out, kind } = processor;
        const paths = [out, ...readsOf(processor)];
        if (paths.some((path) => pathProblem(path) !== undefined)) throw new Error('a path that leads out');
        if (kind !== 'function' && paths.slice(1).includes(out)) throw new Error(`${out} eats itself`);
      }
    },
  }));

const STATES = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {replicas: 1, selector: {matchLabels: {app: web}}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {clusterIP: None}
`;
const EDITS = [
  '\n---\n',
  'clusterIP: 1',
  'matchLabels',
  'kind: List\nitems: []\n',
  'namespace: a',
  'name: __proto__',
  '&a',
  '*a',
  'null',
  '[]',
];

test('states of packages that follow each other are accounted for', () =>
  fuzz({
    name: 'pivots',
    weight: 1,
    inputs: [damaged([STATES], EDITS), damaged([STATES], EDITS)],
    check: (a, b) => {
      const [before, after] = [a, b].map((text) => bundleFiles({ 'all.yaml': text }));
      const { kept, added, removed, recreated } = pivotOf([{ path: '.', before: before!, after: after! }]);
      const back = pivotOf([{ path: '.', before: after!, after: before! }]);
      const there = kept + recreated.length;
      if (there !== back.kept + back.recreated.length) throw new Error('the way back keeps others');
      if (added.length !== back.removed.length || removed.length !== back.added.length)
        throw new Error('what comes does not go on the way back');
    },
  }));

test('target profiles are read or told', () =>
  fuzz({
    name: 'targets',
    weight: 1,
    inputs: [
      damaged(
        [
          'apiVersion: config.portico.dev/v1alpha1\nkind: Target\nmetadata: {name: edge}\nspec: {kubeVersion: 1.33.0, apis: [a.b/v1]}\n',
        ],
        ['---\n', 'apis: ', 'labels: {a: b}', 'name: EDGE', '1.33', 'v1/Kind', '&a', '*a'],
      ),
    ],
    check: (text) => {
      const { targets, problems } = readTargets(treeOf({ '.github/portico/targets/edge.yaml': text }));
      if (targets.length + problems.length !== 1) throw new Error('neither read nor told');
    },
  }));
