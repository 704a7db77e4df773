/** Webhooks of an operator: their configurations, the Services in front of them, and CRDs that they convert. */
import type { YamlValue } from '../package/yaml/edit.ts';
import {
  certificateOf,
  issuerObjects,
  webhookServiceName,
  withCertificate,
  type Certificate,
  type CertificateProvider,
} from './certificates.ts';
import type { Csv, Webhook } from './csv.ts';
import { mapAt, nameOf, type Fields, type Manifest } from './manifest.ts';

export interface WebhookOptions {
  readonly installNamespace: string;
  readonly targets: readonly string[];
  readonly certificateProvider?: CertificateProvider;
}

const KINDS: Readonly<Record<string, string>> = {
  ValidatingAdmissionWebhook: 'ValidatingWebhookConfiguration',
  MutatingAdmissionWebhook: 'MutatingWebhookConfiguration',
};

/** Configurations and Services, and what the provider of certificates needs. */
export function webhookObjects(csv: Csv, options: WebhookOptions): readonly Manifest[] {
  const served = new Map<string, Webhook[]>();
  for (const webhook of csv.webhooks) {
    const others = served.get(webhook.deploymentName);
    if (others === undefined) served.set(webhook.deploymentName, [webhook]);
    else others.push(webhook);
  }
  const serving = csv.deployments.filter(({ name }) => served.has(name));
  return [
    ...csv.webhooks.flatMap((webhook) => {
      const kind = KINDS[webhook.type];
      return kind === undefined ? [] : [configurationOf(kind, webhook, options)];
    }),
    ...serving.map(({ name, spec }) => serviceOf(served.get(name) ?? [], name, spec, options)),
    ...serving.flatMap(({ name }) => {
      const certificate = certificateFor(name, options);
      return certificate === undefined ? [] : issuerObjects(certificate);
    }),
  ];
}

/** The CRDs, each with its conversion webhook where it has one. */
export function withConversions(
  crds: readonly Manifest[],
  csv: Csv,
  options: WebhookOptions,
): readonly Manifest[] {
  const webhooks = new Map(
    csv.webhooks
      .filter(({ type }) => type === 'ConversionWebhook')
      .flatMap((webhook) => webhook.conversionCRDs.map((crd) => [crd, webhook] as const)),
  );
  return crds.map((crd) => converted(crd, webhooks.get(nameOf(crd)), options));
}

function converted(crd: Manifest, webhook: Webhook | undefined, options: WebhookOptions): Manifest {
  if (webhook === undefined) return crd;
  const made = {
    ...crd,
    spec: {
      ...mapAt(crd, 'spec'),
      conversion: {
        strategy: 'Webhook',
        webhook: {
          clientConfig: { service: serviceReference(webhook, options, webhook.webhookPath ?? '/') },
          conversionReviewVersions: webhook.admissionReviewVersions,
        },
      },
    },
  };
  return withCertificate(made, certificateFor(webhook.deploymentName, options));
}

function configurationOf(kind: string, webhook: Webhook, options: WebhookOptions): Manifest {
  const name = webhook.generateName.replace(/-$/, '');
  const { targets } = options;
  const selector: Fields | undefined = targets.includes('')
    ? undefined
    : { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: targets }] };
  const entry = present({
    name,
    rules: webhook.rules,
    failurePolicy: webhook.failurePolicy,
    matchPolicy: webhook.matchPolicy,
    namespaceSelector: selector,
    objectSelector: webhook.objectSelector,
    sideEffects: webhook.sideEffects,
    timeoutSeconds: webhook.timeoutSeconds,
    admissionReviewVersions: webhook.admissionReviewVersions,
    clientConfig: { service: serviceReference(webhook, options, webhook.webhookPath) },
    reinvocationPolicy: kind.startsWith('Mutating') ? webhook.reinvocationPolicy : undefined,
  });
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    // The kind has no namespace; upstream writes one, and clusters pass it by.
    metadata: { name, namespace: options.installNamespace },
    webhooks: [entry],
  };
  return withCertificate(configuration, certificateFor(webhook.deploymentName, options));
}

function serviceReference(webhook: Webhook, options: WebhookOptions, path: string | undefined): Fields {
  return present({
    name: webhookServiceName(webhook.deploymentName),
    namespace: options.installNamespace,
    path,
    port: portOf(webhook),
  });
}

function serviceOf(
  webhooks: readonly Webhook[],
  deployment: string,
  spec: Fields,
  options: WebhookOptions,
): Manifest {
  const ports = new Map<string, { readonly port: number; readonly targetPort: number | string }>();
  for (const webhook of webhooks) {
    const port = portOf(webhook);
    const targetPort = webhook.targetPort ?? port;
    ports.set(`${port} ${targetPort}`, { port, targetPort });
  }
  const ordered = [...ports.values()].sort(
    (a, b) => a.port - b.port || numeric(a.targetPort) - numeric(b.targetPort),
  );
  const matchLabels = mapAt(mapAt(spec, 'selector'), 'matchLabels');
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: webhookServiceName(deployment), namespace: options.installNamespace },
    spec: {
      ports: ordered.map(({ port, targetPort }) => ({ name: String(port), port, targetPort })),
      ...(Object.keys(matchLabels).length > 0 && { selector: matchLabels }),
    },
    status: { loadBalancer: {} },
  };
  return withCertificate(service, certificateFor(deployment, options));
}

function numeric(port: number | string): number {
  return typeof port === 'number' ? port : Number.parseInt(port, 10) || 0;
}

function portOf(webhook: Webhook): number {
  return webhook.containerPort > 0 ? webhook.containerPort : 443;
}

function certificateFor(deployment: string, options: WebhookOptions): Certificate | undefined {
  const { certificateProvider: provider, installNamespace } = options;
  return provider === undefined ? undefined : certificateOf(deployment, installNamespace, provider);
}

function present(fields: Readonly<Record<string, YamlValue | undefined>>): Fields {
  const there = Object.entries(fields).filter(
    (entry): entry is [string, YamlValue] => entry[1] !== null && entry[1] !== undefined,
  );
  return Object.fromEntries(there);
}
