/** The JSON Schemas as editors get them: with their name, and with a description of every property. */

import { packageChannelsJsonSchema } from '../src/channels/channels-schema.ts';
import { repositoryJsonSchema } from '../src/config/repository-schema.ts';
import { rolloutJsonSchema } from '../src/config/rollout-schema.ts';
import { processorsSchema } from '../src/processors/processor-spec.ts';
import { sourcesJsonSchema } from '../src/sources/source-schema.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * What is to be said of properties whose field does not say it itself, by the end of their path. The longest end counts, so that
 * `gate.onFailure` says more than `onFailure`.
 */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  apiVersion: 'The version of this kind of document.',
  kind: 'The kind of document.',
  metadata: 'What the document is called.',
  spec: 'What is to be.',
  'metadata.name': 'Name of the document.',
  'metadata.namespace': 'Namespace of the document.',
  'metadata.labels': 'Labels of the document.',
  'metadata.annotations': 'Annotations of the document.',
  'spec.versioning': 'How revisions are numbered: sequence (v1, v2) or semver (v1.2.3).',
  'spec.defaultUpstream': 'The upstream of packages whose documents name none.',
  'spec.guardrails': 'Functions and policies that every package of the repository has to pass.',
  'spec.publish': 'What a proposal needs before it is published.',
  'spec.updates': 'Which upstream revisions are proposed, when, and how.',
  'spec.upstreams': 'Where upstreams are now, if Kptfiles name former addresses.',
  'spec.sharing': 'Between which repositories content may flow.',
  'spec.inventory': 'Objects that stand for clusters or sites, which variants and rollouts select.',
  'spec.organization': 'The dashboard of all repositories of the owner.',
  'defaultUpstream.repo': 'The repository, as owner/name or by the name of its document.',
  'guardrails.mutators': 'Functions that change every package after its own pipeline.',
  'guardrails.validators': 'Functions and policies that judge every package after its own pipeline.',
  'selectors.apiVersion': 'Only resources of this apiVersion.',
  'selectors.kind': 'Only resources of this kind.',
  'selectors.name': 'Only the resource of this name.',
  'selectors.namespace': 'Only resources in this namespace.',
  'selectors.labels': 'Only resources with all of these labels.',
  'selectors.annotations': 'Only resources with all of these annotations.',
  'exclude.apiVersion': 'Not resources of this apiVersion.',
  'exclude.kind': 'Not resources of this kind.',
  'exclude.name': 'Not the resource of this name.',
  'exclude.namespace': 'Not resources in this namespace.',
  'exclude.labels': 'Not resources with all of these labels.',
  'exclude.annotations': 'Not resources with all of these annotations.',
  'publish.requireApprovals': 'How many approvals a proposal needs.',
  'publish.allowSelfApproval': 'Whether approvals of authors count.',
  'publish.approvals': 'Approvals of the same change in other repositories.',
  'map.from': 'The address that Kptfiles name.',
  'map.to': 'The address where it is now.',
  'inventory.directory': 'The directory of the objects.',
  'spec.upstreams#rollout': 'The upstream packages whose new revisions go wave by wave.',
  waves: 'The waves, in order: each opens when the gate of the one before is open.',
  'inventory.kind': 'Only objects of this kind.',
  'inventory.labels': 'Only objects with these labels.',
  'gate.onFailure': 'What a failure does: stop the rollout, or lead who has it back.',
  defaultChannel: 'The channel of downstreams that name none.',
  channels: 'The channels of the package.',
  deprecations: 'What is deprecated, and what comes in its place.',
  'channels.name': 'Name of the channel, as tags and downstreams have it.',
  'channels.mode': 'sequence: the order of the numbers. graph: the edges that members name.',
  'channels.members': 'The revisions that the channel offers.',
  'channels.promotion': 'What has to be before a revision joins.',
  'members.revision': 'The revision.',
  'members.note': 'A note for people, shown in updates.',
  'withdrawn.reason': 'Why it was withdrawn, shown to everyone who has it.',
  'withdrawn.at': 'When it was withdrawn.',
  'promotion.require': 'What must hold of a revision: checks, rollout.',
  'promotion.approvers': 'Who has to approve, as @login or @org/team.',
  'promotion.auto': 'Once everything holds, Portico opens the pull request, or also merges it.',
  'deprecations.reference': 'What is deprecated.',
  'deprecations.message': 'What people are told.',
  'deprecations.severity': 'info and warning are told in updates; blocking lets no new downstream in.',
  'deprecations.supersededBy': 'The revision to use in its place.',
  'reference.schema': 'Whether it is a package, a channel or a revision.',
  'reference.name': 'Its name.',
  sources: 'What comes from elsewhere.',
  processors: 'The steps that turn sources into resources, in order.',
  paused: 'While this is here, no newer versions are proposed.',
  'sources.git': 'A directory of a git repository.',
  'sources.oci': 'An image or an artefact in a registry.',
  'sources.http': 'An archive or a file at an address.',
  'sources.helm': 'A chart from a Helm repository or a registry.',
  'sources.package': 'A package of a repository that Portico knows.',
  'processors.plain': 'Takes the resources of a directory as they are.',
  'processors.helm': 'Renders a chart.',
  'processors.registryV1': 'Converts an operator bundle to plain objects.',
  'processors.kustomize': 'Builds a kustomization.',
  'processors.function': 'Runs a function.',
  'processors.targets':
    'Writes the resources of a directory once for each target, without those that it cannot serve.',
  'processors.out': 'The directory of the package that the step writes.',
  'plain.directory': 'The directory to take.',
  'helm.chart': 'The directory of the chart.',
  'helm.values': 'Files with values; the last one wins.',
  'helm.release': 'Name of the release.',
  'helm.namespace': 'Namespace of the release.',
  'helm.kubeVersion': 'The version of Kubernetes that templates see.',
  'helm.apiVersions': 'API versions that templates see.',
  'helm.target': 'The target whose kubeVersion and APIs templates see, besides those given here.',
  'helm.hooks': 'Whether resources that are hooks are left out or kept.',
  'helm.tool': 'Digest of the program Helm that is required, sha256:….',
  'registryV1.bundle': 'The directory of the bundle.',
  'registryV1.installNamespace': 'The namespace of the operator.',
  'registryV1.targetNamespaces': 'The namespaces that it watches; "" means all.',
  'registryV1.certificateProvider': 'Who makes certificates of webhooks.',
  'registryV1.deploymentConfig': 'Changes of the pods of the operator.',
  'deploymentConfig.nodeSelector': 'Nodes on which its pods may run.',
  'deploymentConfig.tolerations': 'Taints that its pods tolerate.',
  'deploymentConfig.resources': 'Resources of its containers.',
  'deploymentConfig.env': 'Variables of its containers.',
  'deploymentConfig.envFrom': 'Where more variables come from.',
  'deploymentConfig.volumes': 'Volumes of its pods.',
  'deploymentConfig.volumeMounts': 'Where its containers mount them.',
  'deploymentConfig.affinity': 'Affinity of its pods.',
  'deploymentConfig.annotations': 'Annotations of its deployments and pods.',
  'kustomize.directory': 'The directory with the kustomization.',
  'kustomize.with': 'What is read beside it, such as a base that it names with `..`.',
  'kustomize.tool': 'Digest of the program kustomize that is required, sha256:….',
  'function.image': 'Image of the function, such as set-labels:v0.2.',
  'function.directory': 'The directory whose resources it is given.',
  'function.configMap': 'Its configuration, as keys and values.',
  'function.configPath': 'The file with its configuration.',
  'targets.directory': 'The directory of the resources.',
  'targets.only': 'Only these targets.',
};

/** All of them, by the name of their file in docs/. */
export function publishedSchemas(): Readonly<Record<string, Schema>> {
  return Object.fromEntries(
    FILES.map(([name, title, description, schema]) => {
      const file = `${name}.schema.json`;
      const { $schema, ...rest } = described(name, schema, []) as Schema;
      // Relative, so that it is true wherever the file is.
      return [file, { $schema, $id: file, title, description, ...rest }];
    }),
  );
}

const FILES: readonly (readonly [name: string, title: string, description: string, schema: Schema])[] = [
  [
    'portico',
    'Portico repository',
    'Configuration of a repository of Kubernetes packages, orchestrated by Portico',
    repositoryJsonSchema(),
  ],
  [
    'rollout',
    'Portico rollout',
    'Waves in which Portico brings new revisions to downstream packages',
    rolloutJsonSchema(),
  ],
  [
    'package-channels',
    'Portico channels',
    'Channels, deprecations and withdrawals of a package that Portico publishes',
    packageChannelsJsonSchema(),
  ],
  [
    'sources',
    'Portico sources',
    'Charts, archives, bundles and directories that a package of Portico is made from',
    sourcesJsonSchema(processorsSchema),
  ],
];

function described(name: string, node: unknown, path: readonly string[]): unknown {
  if (Array.isArray(node)) return node.map((item) => described(name, item, path));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]: [string, unknown]) => {
      if (key !== 'properties') return [key, IN_VALUES.has(key) ? value : described(name, value, path)];
      const properties = Object.entries(value as Readonly<Record<string, Schema>>);
      return [key, Object.fromEntries(properties.map((one) => property(name, one, path)))];
    }),
  );
}

/** Values, not schemas. */
const IN_VALUES = new Set(['default', 'const', 'enum', 'examples', 'required']);

function property(name: string, [key, schema]: [string, Schema], path: readonly string[]): [string, unknown] {
  const here = [...path, key];
  const inner = described(name, schema, here) as Schema;
  if (schema['description'] !== undefined) return [key, inner];
  const ends = here.map((_, at) => here.slice(at).join('.'));
  const found = ends.flatMap((end) => DESCRIPTIONS[`${end}#${name}`] ?? DESCRIPTIONS[end] ?? [])[0];
  if (found === undefined)
    throw new Error(`${name}: ${here.join('.')} has no description; give its field one`);
  return [key, { description: found, ...inner }];
}
