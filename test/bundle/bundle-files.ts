import type { PackageFiles } from '../../src/package/package.ts';

type Files = Readonly<Record<string, string>>;

export function bundleFiles(files: Files): PackageFiles {
  return new Map(
    Object.entries(files).map(([path, text]) => [
      path,
      { mode: '100644', bytes: new TextEncoder().encode(text) },
    ]),
  );
}

const ANNOTATIONS: Files = {
  'metadata/annotations.yaml': `annotations:
  operators.operatorframework.io.bundle.mediatype.v1: registry+v1
  operators.operatorframework.io.bundle.package.v1: demo
`,
};

const EVERY_MODE = ['AllNamespaces', 'OwnNamespace', 'SingleNamespace', 'MultiNamespace'];

/** A bundle with one Deployment; `install` is put beside it. */
export function CSV(
  install: object = {},
  modes: readonly string[] = EVERY_MODE,
  annotations = '{csv: "yes", both: csv}',
): Files {
  return {
    ...ANNOTATIONS,
    'manifests/csv.yaml': `apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: demo.v1.0.0
  annotations: ${annotations}
spec:
  installModes: ${JSON.stringify(modes.map((type) => ({ type, supported: true })))}
  install:
    strategy: deployment
    spec: ${JSON.stringify({ deployments: [deployment], ...install })}
`,
  };
}

const deployment = {
  name: 'demo-manager',
  spec: {
    selector: { matchLabels: { app: 'demo' } },
    template: {
      metadata: { creationTimestamp: null, labels: { app: 'demo' }, annotations: { both: 'pod' } },
      spec: { containers: [{ name: 'manager', image: 'demo:1' }] },
    },
  },
};

/** A bundle with a webhook that changes resources, and one that converts its CRD. */
export function webhookCsv(): Files {
  const csv = CSV({}, ['AllNamespaces']);
  const webhooks = [
    { type: 'MutatingAdmissionWebhook', generateName: 'change.acme.io', targetPort: 9443, rules: [] },
    {
      type: 'ConversionWebhook',
      generateName: 'convert.acme.io',
      targetPort: 9443,
      conversionCRDs: ['things.acme.io'],
    },
  ].map((webhook) => ({ ...webhook, deploymentName: 'demo-manager', admissionReviewVersions: ['v1'] }));
  return {
    ...csv,
    'manifests/csv.yaml': `${csv['manifests/csv.yaml']}  customresourcedefinitions: {owned: [{name: things.acme.io, version: v1, kind: Thing}]}
  webhookdefinitions: ${JSON.stringify(webhooks)}
`,
    'manifests/crd.yaml': `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.acme.io}
spec: {group: acme.io, names: {kind: Thing}, versions: [{name: v1}]}
`,
  };
}
