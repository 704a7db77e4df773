/** The Deployments of an operator, as OLM makes them of its CSV. */
import { isMap } from '../fbc/go-fields.ts';
import type { YamlValue } from '../package/yaml/edit.ts';
import { certificateOf, type CertificateProvider, withCertificateVolumes } from './certificates.ts';
import type { Csv, CsvDeployment } from './csv.ts';
import { withDeploymentConfig, type DeploymentConfig } from './deployment-config.ts';
import { mapAt, mapsAt, type Fields, type Manifest } from './manifest.ts';

export interface DeploymentOptions {
  readonly installNamespace: string;
  readonly targets: readonly string[];
  readonly certificateProvider?: CertificateProvider;
  readonly deploymentConfig?: DeploymentConfig;
}

/** Every Deployment; what serves webhooks gets its certificate mounted. */
export function deploymentsOf(csv: Csv, options: DeploymentOptions): readonly Manifest[] {
  const serving = new Set(csv.webhooks.map((webhook) => webhook.deploymentName));
  return csv.deployments.map((deployment) => {
    const made = deploymentOf(csv, deployment, options);
    const { certificateProvider: provider, deploymentConfig, installNamespace } = options;
    const mounted =
      provider !== undefined && serving.has(deployment.name)
        ? withCertificateVolumes(made, certificateOf(deployment.name, installNamespace, provider))
        : made;
    return deploymentConfig === undefined ? mounted : withDeploymentConfig(mounted, deploymentConfig);
  });
}

function deploymentOf(csv: Csv, { name, label, spec }: CsvDeployment, options: DeploymentOptions): Manifest {
  const kept = withoutNulls(spec) as Fields;
  const template = mapAt(kept, 'template');
  const metadata = mapAt(template, 'metadata');
  // Operators read their namespaces out of these annotations; the pod's own stay as they are.
  const annotations: Fields = {
    ...csv.annotations,
    ...mapAt(metadata, 'annotations'),
    'olm.operatorNamespace': options.installNamespace,
    'olm.targetNamespaces': options.targets.join(','),
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name,
      namespace: options.installNamespace,
      ...(Object.keys(label).length > 0 && { labels: label }),
    },
    spec: {
      ...kept,
      revisionHistoryLimit: 1,
      strategy: mapAt(kept, 'strategy'),
      template: {
        ...template,
        metadata: { ...metadata, annotations },
        spec: withResources(mapAt(template, 'spec')),
      },
    },
    status: {},
  };
}

/** Kubernetes takes null for absence, and its types do not write it. */
function withoutNulls(value: YamlValue): YamlValue {
  if (Array.isArray(value)) return (value as readonly YamlValue[]).map(withoutNulls);
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null)
      .map(([field, item]) => [field, withoutNulls(item)]),
  );
}

/** Containers have `resources` even where nothing is said, as Kubernetes' types write them. */
function withResources(pod: Fields): Fields {
  const filled = (field: string): Record<string, YamlValue> =>
    pod[field] === undefined
      ? {}
      : { [field]: mapsAt(pod, field).map((each) => ({ ...each, resources: mapAt(each, 'resources') })) };
  return { ...pod, ...filled('containers'), ...filled('initContainers') };
}
