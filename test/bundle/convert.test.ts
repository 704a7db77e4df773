/** registry+v1 → plain objects: names and objects are those of operator-controller's own golden files. */
import { expect, test } from 'vitest';

import { convertRegistry, type ConvertOptions } from '../../src/bundle/convert-registry.ts';
import { nameOf, namespaceOf, type Manifest } from '../../src/bundle/manifest.ts';
import { readRegistryBundle } from '../../src/bundle/registry-bundle.ts';
import { bundleFiles, CSV, webhookCsv } from './bundle-files.ts';

type Files = Readonly<Record<string, string>>;

function converted(files: Files, options: Partial<ConvertOptions> = {}): readonly Manifest[] {
  const conversion = conversionOf(files, options);
  if ('refused' in conversion) throw new Error(conversion.refused.join('\n'));
  return conversion.objects;
}

function conversionOf(files: Files, options: Partial<ConvertOptions> = {}) {
  const read = readRegistryBundle(bundleFiles(files));
  if ('problems' in read) throw new Error(read.problems.map(({ message }) => message).join('\n'));
  return convertRegistry(read.value, { installNamespace: 'ops', ...options });
}

function refusedFor(files: Files, options: Partial<ConvertOptions> = {}): string {
  const conversion = conversionOf(files, options);
  return 'refused' in conversion ? conversion.refused.join('\n') : '';
}

function find(objects: readonly Manifest[], kind: string): Manifest {
  return objects.find((object) => object['kind'] === kind)!;
}

const PERMITTED = CSV({
  permissions: [
    { serviceAccountName: 'operator', rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
    { rules: [{ apiGroups: ['<&>'], resources: ['pods'], verbs: ['get'] }] },
  ],
});

test('names hold a digest of what is permitted, as Go writes it', () => {
  const roles = converted(PERMITTED, { targetNamespaces: ['ops'] }).filter(({ kind }) => kind === 'Role');
  expect(roles.map(nameOf)).toEqual([
    expect.stringMatching(/^demo\.v1\.0\.0-default-[0-9a-z]{40,44}$/),
    expect.stringMatching(/^demo\.v1\.0\.0-opera[a-z]*-[0-9a-z]{40,44}$/),
  ]);
  expect(roles.every((role) => nameOf(role).length <= 63)).toBe(true);
});

test('empty lists of rules are left out, as they are in the digest of their name', () => {
  const rules = [
    { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: [], nonResourceURLs: [] },
  ];
  const objects = converted(CSV({ permissions: [{ rules }] }), { targetNamespaces: ['ops'] });
  expect(find(objects, 'Role')['rules']).toEqual([{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }]);
});

test('permissions are lifted to the cluster for all namespaces, and stay in each namespace otherwise', () => {
  const everywhere = converted(PERMITTED, { targetNamespaces: [''] });
  expect(everywhere.map(({ kind }) => kind)).toEqual([
    'ServiceAccount',
    'ClusterRole',
    'ClusterRole',
    'ClusterRoleBinding',
    'ClusterRoleBinding',
    'Deployment',
  ]);
  expect(find(everywhere, 'ClusterRole')['rules']).toContainEqual({
    verbs: ['get', 'list', 'watch'],
    apiGroups: [''],
    resources: ['namespaces'],
  });
  const some = converted(PERMITTED, { targetNamespaces: ['a', 'b'] });
  expect(some.filter(({ kind }) => kind === 'Role').map(namespaceOf)).toEqual(['a', 'a', 'b', 'b']);
});

test('what stands for nothing is not converted: each refusal says why', () => {
  expect(refusedFor(CSV({}, ['MultiNamespace']))).toContain(
    'at least one target namespace must be specified',
  );
  expect(refusedFor(CSV({}, ['SingleNamespace']))).toContain(
    'exactly one target namespace must be specified',
  );
  expect(refusedFor(CSV({}, ['SingleNamespace']), { targetNamespaces: ['ops'] })).toContain(
    'targeting own namespace',
  );
  expect(refusedFor(CSV({}, ['AllNamespaces']), { targetNamespaces: ['x'] })).toContain(
    'do not support target namespaces [x]',
  );
  expect(
    refusedFor({ ...CSV(), 'manifests/event.yaml': 'apiVersion: v1\nkind: Event\nmetadata: {name: e}\n' }),
  ).toBe('bundle contains unsupported resource: Name: e, Kind: Event');
  expect(
    refusedFor({
      ...CSV(),
      'manifests/a.yaml': 'apiVersion: v1\nkind: Service\nmetadata: {name: a, namespace: x}\n',
      'manifests/b.yaml': 'apiVersion: v1\nkind: Service\nmetadata: {name: a, namespace: y}\nspec: {}\n',
    }),
  ).toBe('two different objects would be Service "ops/a"');
});

test('an account that the bundle brings itself stands once, with what the bundle says of it', () => {
  const permissions = [{ serviceAccountName: 'runner', rules: [] }];
  const account = `apiVersion: v1
kind: ServiceAccount
metadata: {name: runner, creationTimestamp: null, labels: {app: demo}}
`;
  const files = { ...CSV({ permissions }), 'manifests/account.yaml': account };
  const read = readRegistryBundle(bundleFiles(files));
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  const converted = convertRegistry(read.value, { targetNamespaces: [''] });
  if ('refused' in converted) throw new Error(converted.refused.join());
  expect(converted.objects.filter((object) => object['kind'] === 'ServiceAccount')).toEqual([
    expect.objectContaining({
      metadata: expect.objectContaining({
        name: 'runner',
        namespace: 'demo-system',
        labels: { app: 'demo' },
      }),
    }),
  ]);
});

test('the pod carries the annotations of the CSV and the namespaces; its own come first', () => {
  const deployment = find(converted(CSV({}, ['OwnNamespace'])), 'Deployment') as never as {
    spec: { template: { metadata: { annotations: object } }; revisionHistoryLimit: number };
  };
  expect(deployment.spec.revisionHistoryLimit).toBe(1);
  expect(deployment.spec.template.metadata.annotations).toEqual({
    both: 'pod',
    csv: 'yes',
    'olm.operatorNamespace': 'ops',
    'olm.targetNamespaces': 'ops',
  });
});

test('webhooks come with their Service, converted CRDs and, where a provider is named, certificates', () => {
  const plain = converted(webhookCsv());
  expect(plain.map(({ kind }) => kind)).toEqual([
    'CustomResourceDefinition',
    'Service',
    'Deployment',
    'MutatingWebhookConfiguration',
  ]);
  expect(find(plain, 'Service')['spec']).toEqual({
    ports: [{ name: '443', port: 443, targetPort: 9443 }],
    selector: { app: 'demo' },
  });
  expect(find(plain, 'CustomResourceDefinition')).toMatchObject({
    spec: {
      conversion: {
        strategy: 'Webhook',
        webhook: {
          clientConfig: { service: { name: 'demo-manager-service', namespace: 'ops', path: '/', port: 443 } },
        },
      },
    },
  });
  const certified = converted(webhookCsv(), { certificateProvider: 'cert-manager' });
  expect(find(certified, 'Certificate')).toMatchObject({
    metadata: { name: 'demo-manager-service-cert' },
    spec: {
      dnsNames: [
        'demo-manager-service.ops',
        'demo-manager-service.ops.svc',
        'demo-manager-service.ops.svc.cluster.local',
      ],
      issuerRef: { name: 'demo-manager-service-cert-selfsigned-issuer' },
    },
  });
  expect(find(certified, 'MutatingWebhookConfiguration')).toMatchObject({
    metadata: { annotations: { 'cert-manager.io/inject-ca-from': 'ops/demo-manager-service-cert' } },
  });
  expect(JSON.stringify(find(certified, 'Deployment'))).toContain(
    '"mountPath":"/tmp/k8s-webhook-server/serving-certs"',
  );
  const openshift = converted(webhookCsv(), { certificateProvider: 'service-ca' });
  expect(openshift.map(({ kind }) => kind)).not.toContain('Certificate');
  expect(find(openshift, 'Service')).toMatchObject({
    metadata: {
      annotations: { 'service.beta.openshift.io/serving-cert-secret-name': 'demo-manager-service-cert' },
    },
  });
});

test('properties of the metadata join those of the CSV, and requirements are told', () => {
  const files = {
    ...CSV(
      {},
      ['OwnNamespace'],
      '{"olm.properties": "[{\\"type\\": \\"a\\", \\"value\\": 12345678901234567890}]"}',
    ),
    'metadata/properties.yaml':
      'properties:\n- type: olm.gvk.required\n  value: {version: v1, group: acme.io, kind: K}\n',
  };
  const conversion = conversionOf(files);
  if ('refused' in conversion) throw new Error('refused');
  expect(JSON.stringify(conversion.objects)).toContain(
    String.raw`[{\"type\":\"a\",\"value\":12345678901234567890},{\"type\":\"olm.gvk.required\",\"value\":{\"group\":\"acme.io\",\"kind\":\"K\",\"version\":\"v1\"}}]`,
  );
  expect(conversion.notes.join('\n')).toContain(
    'requires olm.gvk.required: group acme.io, kind K, version v1',
  );
});
