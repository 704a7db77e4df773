/** What is wrong with a bundle, told in the words of opm and operator-controller. */
import { describe, expect, test } from 'vitest';

import { formatOf } from '../../src/bundle/bundle-format.ts';
import { convertHelm, readHelmChart } from '../../src/bundle/helm-chart.ts';
import { nameOf } from '../../src/bundle/manifest.ts';
import { convertPlain, readPlainBundle } from '../../src/bundle/plain-bundle.ts';
import { judgeBundle } from '../../src/bundle/validate-bundle.ts';
import { bundleFiles, CSV, webhookCsv } from './bundle-files.ts';

type Files = Readonly<Record<string, string>>;

function errorsOf(files: Files, knownApis: readonly string[] = []): readonly string[] {
  const read = bundleFiles(files);
  const judged = judgeBundle(read, { format: formatOf(read), knownApis: new Set(knownApis) });
  return judged.errors.map(({ message }) => message);
}

/** The bundle with webhooks, with something put in place of something else. */
function changed(from: string, to: string): Files {
  const files = webhookCsv();
  const text = files['manifests/csv.yaml']!;
  expect(text).toContain(from);
  return { ...files, 'manifests/csv.yaml': text.replaceAll(from, to) };
}

test('bundles in order have no errors', () => {
  expect(errorsOf(CSV())).toEqual([]);
  expect(errorsOf(webhookCsv())).toEqual([]);
});

describe('webhooks and deployments', () => {
  test.each([
    [
      '"type":"Mutating',
      '"type":"Other',
      'webhook "change.acme.io" has unknown type "OtherAdmissionWebhook"',
    ],
    ['change.acme.io', 'Change', "webhook of type 'MutatingAdmissionWebhook' has invalid name 'Change'"],
    ['"deploymentName":"demo-manager"', '"deploymentName":"x"', "references non-existent deployment 'x'"],
    ['["things.acme.io"]', '["other"]', "references custom resource definition 'other' not owned bundle"],
    [
      '["things.acme.io"]',
      '["things.acme.io","things.acme.io"]',
      'reference same custom resource definition',
    ],
    [
      '"AllNamespaces"',
      '"OwnNamespace"',
      'supports install modes [OwnNamespace] - conversion webhooks are only',
    ],
    ['"rules":[]', '"rules":[{"apiGroups":["olm.operatorframework.io"]}]', 'cannot reference API group'],
    [
      '"rules":[]',
      '"rules":[{"apiGroups":["admissionregistration.k8s.io"],"resources":["MutatingWebhookConfigurations/status"]}]',
      'cannot reference resource "MutatingWebhookConfigurations/status"',
    ],
    [
      'name: things.acme.io',
      'name: gone.acme.io',
      "owned custom resource definition 'gone.acme.io' not found",
    ],
    ['"demo-manager"', '"Demo"', "invalid cluster service version strategy deployment name 'Demo'"],
    ['"supported":true', '"supported":"yes"', 'spec.installModes.0.supported'],
    ['"supported":true', '"supported":false', 'none of InstallModeTypes are supported'],
    [
      'both: csv',
      'olm.skiprange: x',
      'provided annotation olm.skiprange uses wrong case and should be olm.skipRange',
    ],
  ])('%s → %s', (from, to, words) => {
    expect(errorsOf(changed(from, to)).join('\n')).toContain(words);
  });
});

describe('files', () => {
  const csv = CSV();
  const second = csv['manifests/csv.yaml']!.replace('demo.v1.0.0', 'demo.v2.0.0');
  test.each<[string, Files, string]>([
    [
      'two descriptions',
      { ...csv, 'manifests/second.yaml': second },
      'this one has 2: demo.v1.0.0, demo.v2.0.0',
    ],
    [
      'no description',
      { ...csv, 'manifests/csv.yaml': 'kind: Service\nmetadata: {name: s}\n' },
      'no ClusterServiceVersion',
    ],
    ['a directory', { ...csv, 'manifests/d/x.yaml': 'kind: A' }, 'found "manifests/d"'],
    ['no YAML', { ...csv, 'manifests/x.yaml': 'a: [' }, 'error parsing objects in "manifests/x.yaml"'],
    [
      'no metadata',
      { 'manifests/csv.yaml': csv['manifests/csv.yaml']! },
      'Unable to locate metadata directory',
    ],
    [
      'no annotations',
      { ...csv, 'metadata/annotations.yaml': 'annotations: {}\n' },
      'Missing annotation "operators',
    ],
    [
      'an unknown kind',
      { ...csv, 'manifests/x.yaml': 'kind: Pod\nmetadata: {name: p}' },
      'unsupported resource "p" with kind "Pod"',
    ],
    [
      'a budget that lets no pod go',
      {
        ...csv,
        'manifests/x.yaml': 'kind: PodDisruptionBudget\nmetadata: {name: p}\nspec: {minAvailable: 100%}',
      },
      'minAvailable field cannot be set to 100%',
    ],
    [
      'a namespace that is a number',
      { ...csv, 'manifests/x.yaml': 'kind: ServiceAccount\nmetadata: {name: a, namespace: 7}' },
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.namespace of type string',
    ],
    [
      'labels that are a list',
      { ...csv, 'manifests/x.yaml': 'kind: ServiceAccount\nmetadata: {name: a, labels: []}' },
      'json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string',
    ],
    [
      'a range that is none',
      {
        ...csv,
        'metadata/dependencies.yaml':
          'dependencies: [{type: olm.package, value: {packageName: a, version: ">!1"}}]',
      },
      'Invalid semver format version',
    ],
    [
      'a dependency',
      { ...csv, 'metadata/dependencies.yaml': 'dependencies: [{type: olm.gvk, value: {group: a}}]' },
      'API Version is empty\nAPI Kind is empty',
    ],
  ])('%s', (_, files, words) => {
    expect(errorsOf(files).join('\n')).toContain(words);
  });
});

const PLAIN = {
  'manifests/all.yaml': `apiVersion: acme.io/v1
kind: Thing
metadata: {name: one}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.acme.io}
spec: {group: acme.io, names: {kind: Thing}}
`,
};

test('a plain bundle brings no API and what uses it at once, unless the API is there before', () => {
  expect(errorsOf(PLAIN).join()).toContain(
    'no matches for kind "Thing" in version "acme.io/v1": ensure CRDs',
  );
  expect(errorsOf(PLAIN, ['acme.io/Thing'])).toEqual([]);
  const read = readPlainBundle(bundleFiles(PLAIN));
  const conversion = 'value' in read && convertPlain(read.value, new Set(['acme.io/Thing']));
  expect(conversion && 'objects' in conversion && conversion.objects.map(nameOf)).toEqual([
    'things.acme.io',
    'one',
  ]);
});

function chart(files: Files) {
  const read = readHelmChart(bundleFiles(files));
  return 'problems' in read ? read.problems.map(({ message }) => message) : convertHelm(read.value);
}

test('a chart is read as far as that needs no Helm', () => {
  const metadata = 'apiVersion: v2\nname: demo\nversion: 1.2.3\n';
  const service = 'apiVersion: v1\nkind: Service\nmetadata: {name: s}\n';
  const hook = 'kind: Job\nmetadata: {name: j, annotations: {helm.sh/hook: test}}\n';
  const plain = {
    'demo/Chart.yaml': metadata,
    'demo/templates/s.yaml': service,
    'demo/templates/j.yaml': hook,
  };
  expect(chart(plain)).toMatchObject({
    objects: [{ kind: 'Service' }],
    notes: ['Job j is a Helm hook and is skipped'],
  });
  expect(chart({ ...plain, 'demo/templates/t.yaml': 'a: {{ .Values.a }}' })).toEqual({
    refused: ['the chart needs Helm: templates/t.yaml has template actions'],
  });
  expect(chart({ ...plain, 'demo/Chart.yaml': `${metadata}dependencies: [{name: x}]` })).toEqual({
    refused: ['the chart needs Helm: it has dependencies'],
  });
  expect(chart({ 'Chart.yaml': 'name: demo' })).toEqual([
    'validation: chart.metadata.apiVersion is required',
    'validation: chart.metadata.version is required',
  ]);
});

test('a bundle whose webhooks and CRDs are many is judged at once', () => {
  const crds = Array.from({ length: 20_000 }, (_, at) => `c${at}.acme.io`);
  const files = changed('["things.acme.io"]', JSON.stringify([...crds, ...crds]));
  // Each is named twice, and none of them is owned.
  expect(errorsOf(files)).toHaveLength(2 * crds.length);
});
