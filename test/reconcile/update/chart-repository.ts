/** A Helm repository over real HTTP, a registry with charts, and packages that take them. */
import { createRuntime } from '../../../src/function/runtime.ts';
import { runProcessors } from '../../../src/processors/run-processors.ts';
import { createToolMachine } from '../../../src/processors/tool-machine.ts';
import { contentServer, sha256, tgz, type ContentServer } from '../../fetching/content-server.ts';
import { startMemoryRegistry } from '../../oci/memory-registry.ts';
import { CHART, putLayer } from '../../oci/put-layer.ts';
import { realTools } from '../../processors/real-tools.ts';
import { sourceHost, syncTexts } from '../../sources/syncing.ts';
import { kptfile } from '../small-package.ts';

/** The real Helm; undefined where it does not run. */
export const tools = realTools();

/** What a bot's environment says so that it takes that Helm. */
export const HELM = { PORTICO_HELM: `${tools?.PATH.split(':')[0]}/helm` };

/** Where versions of a chart are published, and packages that take it. */
interface ChartPublisher extends AsyncDisposable {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  /** Adds a version, or gives one other content. */
  publish(version: string, templates: Readonly<Record<string, string>>, notes?: string): void;
  /** A package at the newest version that there is now. */
  package(name: string, more?: string): Promise<Record<string, string>>;
}

export interface ChartRepository extends ChartPublisher {
  readonly server: ContentServer;
}

/** While it is there, bots of this process take the real Helm; tests of other files run in it afterwards. */
export async function chartRepository(): Promise<ChartRepository> {
  const server = await contentServer();
  Object.assign(process.env, HELM);
  const { host } = server;
  const versions = new Map<string, string>();
  return {
    server,
    host,
    publish(version, templates, notes) {
      const chart = chartArchive(version, templates, notes);
      server.files.set(`/shop-${version}.tgz`, chart);
      versions.set(version, sha256(chart));
      const entries = [...versions].map(
        ([name, digest]) => `  - version: ${name}\n    digest: ${digest}\n    urls: [shop-${name}.tgz]\n`,
      );
      server.files.set('/index.yaml', Buffer.from(`apiVersion: v1\nentries:\n  shop:\n${entries.join('')}`));
    },
    package: (name, more) => packageFrom({ host, repository: server.url, name, more }),
    async [Symbol.asyncDispose]() {
      delete process.env['PORTICO_HELM'];
      await server[Symbol.asyncDispose]();
    },
  };
}

/** The same as artefacts of a registry. */
export async function chartRegistry(): Promise<ChartPublisher> {
  const registry = await startMemoryRegistry();
  const { host } = registry;
  return {
    host,
    publish: (version, templates, notes) =>
      void putLayer(registry, `charts/shop:${version}`, chartArchive(version, templates, notes), CHART),
    package: (name, more) => packageFrom({ host, repository: `oci://${host}/charts`, name, more }),
    [Symbol.asyncDispose]: () => registry[Symbol.asyncDispose](),
  };
}

function chartArchive(version: string, templates: Readonly<Record<string, string>>, notes?: string): Buffer {
  const annotations = notes === undefined ? '' : `annotations:\n  artifacthub.io/changes: |\n    ${notes}\n`;
  return tgz({
    'shop/Chart.yaml': `apiVersion: v2\nname: shop\nversion: ${version}\n${annotations}`,
    'shop/values.yaml': 'replicas: 1\n',
    ...Object.fromEntries(
      Object.entries(templates).map(([name, text]) => [`shop/templates/${name}.yaml`, text]),
    ),
  });
}

async function packageFrom({
  host,
  repository,
  name,
  more = '',
}: {
  readonly host: string;
  readonly repository: string;
  readonly name: string;
  readonly more: string | undefined;
}): Promise<Record<string, string>> {
  const texts = {
    Kptfile: kptfile(name),
    '.krmignore': 'upstream\nvalues.yaml\n',
    'values.yaml': 'replicas: 2 # ours\n',
    'portico-sources.yaml': `apiVersion: config.portico.dev/v1alpha1
kind: Sources
metadata: { name: sources, annotations: { config.kubernetes.io/local-config: "true" } }
${more}sources:
- { id: chart, helm: { repository: ${JSON.stringify(repository)}, chart: shop, version: ">=1 <2" }, destination: upstream/chart }
processors:
- { helm: { chart: upstream/chart, values: values.yaml, release: ${name}, namespace: shop }, out: rendered }
`,
  };
  const machine = createToolMachine({ needsSandbox: true, environment: tools ?? {} });
  const synced = await syncTexts(texts, sourceHost([host]), {
    process: (tree, list, signal) => runProcessors(tree, list, { runtime: createRuntime(), machine, signal }),
  });
  return synced.texts;
}

export function deployment(image: string, more = ''): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: { name: {{ .Release.Name }}-web, namespace: {{ .Release.Namespace }} }
spec:
  replicas: {{ .Values.replicas }}
  selector: { matchLabels: { app: ${more === '' ? 'shop' : more} } }
  template:
    metadata: { labels: { app: ${more === '' ? 'shop' : more} } }
    spec: { containers: [{ name: web, image: ${image} }] }
`;
}

export function crd(plural: string): string {
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${plural}.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { kind: ${plural}, plural: ${plural} }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }]
`;
}
