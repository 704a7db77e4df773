/** What there is to know of the built-in functions, for `portico get functions` and the page of functions. */
import { builtinFunctions, lookUp } from './registry.ts';

export interface FunctionFacts {
  readonly name: string;
  /** Minor versions that are built in, oldest first. */
  readonly versions: readonly string[];
  readonly type: 'mutator' | 'validator' | 'mutator or validator';
  readonly runtime: 'built in';
  readonly summary: string;
  /** Forms of its functionConfig. */
  readonly config: readonly string[];
  /** What it may change. */
  readonly fields: string;
  /** `yes` where running it again changes nothing; else what that depends on. */
  readonly idempotent: string;
}

type Told = Omit<FunctionFacts, 'name' | 'versions' | 'runtime'>;

const FACTS: Readonly<Record<string, Told>> = {
  'apply-replacements': {
    type: 'mutator',
    summary: "copies values from one resource's field to fields of others",
    config: ['ApplyReplacements'],
    fields: 'the targets of its configuration',
    idempotent: 'yes, unless a delimiter adds a part at each run',
  },
  'apply-setters': {
    type: 'mutator',
    summary: 'sets the fields whose comment `# kpt-set: ${name}` names a given setter',
    config: ['ConfigMap'],
    fields: 'fields with such a comment',
    idempotent: 'yes',
  },
  'create-setters': {
    type: 'mutator',
    summary: 'adds such comments to fields that hold a given value',
    config: ['ConfigMap'],
    fields: 'comments',
    idempotent: 'yes',
  },
  'delete-annotations': {
    type: 'mutator',
    summary: 'removes the annotations in `annotationKeys`',
    config: ['ConfigMap'],
    fields: 'metadata.annotations',
    idempotent: 'yes',
  },
  'ensure-name-substring': {
    type: 'mutator',
    summary: 'gives all names a prefix or suffix; references follow',
    config: ['ConfigMap', 'EnsureNameSubstring'],
    fields: 'metadata.name, references to it, `depends-on` (from v0.2 on)',
    idempotent: 'yes',
  },
  'builtins/gen-pkg-context': {
    type: 'mutator',
    summary: "makes `package-context.yaml` with the package's name",
    config: ['none'],
    fields: 'the ConfigMap kptfile.kpt.dev',
    idempotent: 'yes',
  },
  kubeconform: {
    type: 'validator',
    summary: 'holds resources against the schemas of their kinds (below)',
    config: ['none', 'ConfigMap'],
    fields: 'none',
    idempotent: 'yes',
  },
  'list-setters': {
    type: 'validator',
    summary: 'reports setters, with value, type and count',
    config: ['none'],
    fields: 'none',
    idempotent: 'yes',
  },
  'no-op': { type: 'mutator', summary: 'nothing', config: ['none'], fields: 'none', idempotent: 'yes' },
  'remove-local-config-resources': {
    type: 'mutator',
    summary: 'drops resources marked `config.kubernetes.io/local-config: "true"`',
    config: ['none'],
    fields: 'whole resources',
    idempotent: 'yes',
  },
  'search-replace': {
    type: 'mutator',
    summary: 'finds fields by value, expression, path and file; sets value or comment',
    config: ['ConfigMap'],
    fields: 'what its configuration finds',
    idempotent: 'where the new value is not found again',
  },
  'set-annotations': {
    type: 'mutator',
    summary: 'sets annotations on resources and pod templates',
    config: ['ConfigMap', 'SetAnnotations'],
    fields: 'metadata.annotations, also of pod and job templates; additional fields of the configuration',
    idempotent: 'yes',
  },
  'set-enforcement-action': {
    type: 'mutator',
    summary: 'sets the enforcement action of Gatekeeper constraints',
    config: ['ConfigMap'],
    fields: 'spec.enforcementAction',
    idempotent: 'yes',
  },
  'set-image': {
    type: 'mutator',
    summary: 'changes name, tag or digest of container images (another program up to v0.1.1)',
    config: ['ConfigMap', 'SetImage'],
    fields:
      'image of containers and, from v0.1.2 on, init containers; additional fields of the configuration',
    idempotent: 'yes, unless `tagSuffix` is added at each run',
  },
  'set-labels': {
    type: 'mutator',
    summary: 'sets labels on resources, selectors and pod templates',
    config: ['ConfigMap', 'SetLabels'],
    fields: 'metadata.labels, selectors, pod and job templates, volume claim templates',
    idempotent: 'yes',
  },
  'set-namespace': {
    type: 'mutator',
    summary: 'moves namespaced resources, and what names their namespace',
    config: ['ConfigMap', 'SetNamespace'],
    fields: 'metadata.namespace, names of Namespaces, subjects, services of webhooks, `depends-on`',
    idempotent: 'yes',
  },
  starlark: {
    type: 'mutator or validator',
    summary: 'runs a script of the package over its resources (below)',
    config: ['StarlarkRun', 'ConfigMap'],
    fields: 'what the script changes',
    idempotent: 'as the script is',
  },
  'upsert-resource': {
    type: 'mutator',
    summary: 'replaces or adds the resource that is its configuration',
    config: ['any resource', 'List'],
    fields: 'whole resources',
    idempotent: 'yes',
  },
};

/** All built-in functions, by name. */
export function functionFacts(): FunctionFacts[] {
  return [...builtinFunctions()].map(([name, versions]) => {
    const facts = FACTS[name];
    if (facts === undefined) throw new Error(`nothing is told of ${name}`);
    return { name, versions, runtime: 'built in', ...facts };
  });
}

/** The built-in function that an image means, with only the version that would run; undefined for all other images. */
export function factsOfImage(image: string): FunctionFacts | undefined {
  const found = lookUp(image);
  if (found.found !== 'builtin') return undefined;
  const facts = functionFacts().find(({ name }) => name === found.name);
  return facts && { ...facts, versions: [found.version] };
}

/** The table of the page of functions, in Markdown. */
function functionTable(): string {
  const rows = functionFacts().map(
    ({ name, versions, type, summary, config, fields, idempotent }) =>
      `| \`${name}\` | ${versions.join(', ')} | ${type} | ${summary} | ${config.join(', ')} | ${fields} | ${idempotent} |`,
  );
  return [
    '| function | versions | type | what it does | configuration | what it touches | idempotent |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

const BEGIN = '<!-- functions: begin -->';
const END = '<!-- functions: end -->';

/** The page with its table made anew. Throws where the page has no place for it. */
export function withFunctionTable(page: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`the page has no ${BEGIN} … ${END}`);
  return `${page.slice(0, begin)}${BEGIN}\n\n${functionTable()}\n\n${page.slice(end)}`;
}
