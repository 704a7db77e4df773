/** Pure: from a Porch server's objects to the files that each repository gets. */
import { stringify } from 'yaml';

import { selects } from '../../cel/match.ts';
import { parseRepositoryConfig } from '../../config/parse-repository-config.ts';
import { plainPath } from '../../config/plain-path.ts';
import { mappedAddress, mappedAddressProblem, type MappedAddress } from '../../package/upstream-map.ts';
import { readVariantDocuments } from '../../package/variant/read-document.ts';
import { plainAddress } from '../../text/ends.ts';
import type { PorchObject, PorchObjects, PorchRepository } from './porch-objects.ts';

export interface MigrationOptions {
  readonly map: readonly MappedAddress[];
  /** Name of a Porch Repository, or an address. */
  readonly control?: string | undefined;
}

export interface PlannedRepository {
  /** Where it is now. */
  readonly address: string;
  /** `owner/name`. */
  readonly name: string;
  /** Files to be written, by path; a configuration that is there already stays. */
  readonly files: ReadonlyMap<string, string>;
  /** What a person has to know or do. */
  readonly notes: readonly string[];
}

export interface MigrationPlan {
  readonly repositories: readonly PlannedRepository[];
  /** What keeps the plan from being carried out. */
  readonly problems: readonly string[];
}

const FOLDER = '.github/portico/porch';
export const CONFIGURATION = '.github/portico.yaml';

export function planMigration(objects: PorchObjects, { map, control }: MigrationOptions): MigrationPlan {
  const problems: string[] = map.flatMap((one) => {
    const problem = mappedAddressProblem(one);
    return problem === undefined ? [] : [`--map ${one.from}=${one.to}: ${problem}.`];
  });
  const here = (repo: string): string => plainAddress(mappedAddress(map, repo));
  const usable = objects.repositories.filter(({ metadata, spec }) => {
    if (spec.git !== undefined && (spec.type ?? 'git') === 'git') return true;
    problems.push(`Repository ${metadata.name} is no git repository: only git repositories are migrated.`);
    return false;
  });
  const byAddress = Map.groupBy(usable, ({ spec }) => here(spec.git?.repo ?? ''));
  const center = controlOf(control, usable, here);
  if (objects.variants.length > 0 && center === undefined) {
    problems.push(
      control === undefined
        ? `There are ${objects.variants.length} variant documents: name the repository that gets them with --control.`
        : `--control ${control} is neither a Repository of Porch nor an address.`,
    );
  }
  const targets = targetsOf(objects.variants, usable);
  const addresses = new Set([
    ...byAddress.keys(),
    ...(center !== undefined && objects.variants.length > 0 ? [center] : []),
  ]);
  const repositories = [...addresses].sort().map((address): PlannedRepository => {
    const own = byAddress.get(address) ?? [];
    const isControl = address === center && objects.variants.length > 0;
    const name = nameOf(address);
    if (name === undefined)
      problems.push(`${address} does not end in OWNER/NAME: say where it is now with --map.`);
    const controlled =
      !isControl && center !== undefined && own.some((one) => targets.names.has(one.metadata.name));
    const files = new Map<string, string>();
    const notes: string[] = [];
    files.set(
      CONFIGURATION,
      configurationOf(own, {
        name: name ?? address,
        map,
        notes,
        ...(controlled && { control: nameOf(center) ?? center }),
      }),
    );
    if (isControl) {
      for (const [path, text] of documentsOf(objects, { here, targets })) files.set(path, text);
      notes.push(
        'Private repositories exchange content only where the configurations of both say so (spec.sharing): variants between them wait for that.',
        ...targets.notes,
      );
    }
    notes.push(...revisionNotes(objects, own));
    for (const [path, text] of files)
      problems.push(...problemsIn(path, text).map((why) => `${name ?? address}: ${why}`));
    return { address, name: name ?? address, files, notes };
  });
  return { repositories, problems };
}

function controlOf(
  control: string | undefined,
  repositories: readonly PorchRepository[],
  here: (repo: string) => string,
): string | undefined {
  if (control === undefined) return undefined;
  const named = repositories.find(({ metadata }) => metadata.name === control);
  if (named !== undefined) return here(named.spec.git?.repo ?? '');
  return /^(?:https?|ssh):\/\//.test(control) ? plainAddress(control) : undefined;
}

function configurationOf(
  own: readonly PorchRepository[],
  {
    name,
    map,
    notes,
    control,
  }: {
    readonly name: string;
    readonly map: readonly MappedAddress[];
    readonly notes: string[];
    readonly control?: string;
  },
): string {
  const [first, ...others] = own;
  const git = first?.spec.git;
  const directories = [...new Set(own.map(({ spec }) => directoryOf(spec.git?.directory)))];
  const branches = [...new Set(own.map(({ spec }) => spec.git?.branch ?? 'main'))];
  if (others.length > 0)
    notes.push(
      `Porch had ${own.length} Repositories here (${own.map(({ metadata }) => metadata.name).join(', ')}). A repository is registered once: ${directories.length > 1 ? 'all of it is' : 'together they are'} registered, on the branch ${branches[0] ?? 'main'}.`,
    );
  for (const branch of branches.slice(1))
    notes.push(`The branch ${branch} was registered, too, and is no longer.`);
  if (own.some(({ spec }) => spec.git?.secretRef !== undefined))
    notes.push(
      'Porch had credentials for this repository; Portico has those of its App, which must be installed here.',
    );
  const spec = {
    branch: git?.branch ?? 'main',
    ...(directories.length === 1 && directories[0] !== '/' && { directory: directories[0] }),
    ...(own.some((one) => one.spec.deployment === true) && { deployment: true }),
    ...(control !== undefined && { controlledBy: [control] }),
    ...(map.length > 0 && { upstreams: { map: map.map(({ from, to }) => ({ from, to })) } }),
  };
  const text = stringify({
    apiVersion: 'config.portico.dev/v1alpha1',
    kind: 'Repository',
    metadata: { name: name.split('/').at(-1) ?? name },
    spec,
  });
  return `# Registers this repository with Portico; it was registered with a Porch server.\n${text}`;
}

interface Targets {
  /** Names of Repositories in which variants are made. */
  readonly names: ReadonlySet<string>;
  readonly notes: readonly string[];
  /** Kinds that documents select or inject. */
  readonly kinds: ReadonlySet<string>;
}

/** Where the variants go, as far as documents say it by name or label. */
function targetsOf(variants: readonly PorchObject[], repositories: readonly PorchRepository[]): Targets {
  const names = new Set<string>();
  const kinds = new Set<string>();
  const notes: string[] = [];
  const all = (): void => {
    for (const { metadata, spec } of repositories) if (spec.deployment === true) names.add(metadata.name);
  };
  for (const { kind, metadata, spec } of variants as readonly (PorchObject & { spec?: VariantSpec })[]) {
    if (spec?.downstream?.repo !== undefined) names.add(spec.downstream.repo);
    for (const injector of spec?.injectors ?? []) if (injector.kind !== undefined) kinds.add(injector.kind);
    for (const target of spec?.targets ?? []) {
      const { repositories: listed, repositorySelector, package: old, objectSelector, template } = target;
      if (Array.isArray(listed))
        for (const { name } of listed as readonly { readonly name?: string }[])
          if (name !== undefined) names.add(name);
      // Of the older version it is a selector.
      const selector =
        repositorySelector ?? (Array.isArray(listed) ? undefined : (listed as Selector | undefined));
      if (selector !== undefined)
        for (const one of repositories)
          if (selects(selector, one.metadata.labels ?? {})) names.add(one.metadata.name);
      if (old?.repo !== undefined) names.add(old.repo);
      if (objectSelector?.kind !== undefined) kinds.add(objectSelector.kind);
      for (const injector of template?.injectors ?? [])
        if (injector.kind !== undefined) kinds.add(injector.kind);
      if (template?.downstream?.repo !== undefined) names.add(template.downstream.repo);
      if (objectSelector !== undefined || template?.downstream?.repoExpr !== undefined) {
        all();
        notes.push(
          `${kind} ${metadata.name} computes its repositories: every deployment repository names the control repository in controlledBy. Remove it where no variant is made.`,
        );
      }
    }
  }
  if (kinds.size > 0)
    notes.push(
      `Objects of the kinds ${[...kinds].sort().join(', ')} are selected or injected. Those that were printed stand in .github/portico/inventory/; add the others there.`,
    );
  return { names, notes: [...new Set(notes)], kinds };
}

type Selector = Parameters<typeof selects>[0];

/** The fields of variant documents that say where variants go; checked when the documents are read as such. */
interface VariantSpec {
  readonly downstream?: { readonly repo?: string };
  readonly injectors?: readonly { readonly kind?: string }[];
  readonly targets?: readonly {
    readonly repositories?: unknown;
    readonly repositorySelector?: Selector;
    readonly objectSelector?: { readonly kind?: string };
    readonly package?: { readonly repo?: string };
    readonly template?: {
      readonly downstream?: { readonly repo?: string; readonly repoExpr?: string };
      readonly injectors?: readonly { readonly kind?: string }[];
    };
  }[];
}

function documentsOf(
  { repositories, variants, others }: PorchObjects,
  { here, targets }: { readonly here: (repo: string) => string; readonly targets: Targets },
): (readonly [string, string])[] {
  const named = repositories
    .filter(({ spec }) => spec.git !== undefined)
    .map(({ metadata, spec: { git, deployment } }) => ({
      apiVersion: 'config.porch.kpt.dev/v1alpha1',
      kind: 'Repository',
      metadata: cleanMetadata(metadata),
      spec: {
        type: 'git',
        ...(deployment !== undefined && { deployment }),
        git: {
          repo: `${here(git?.repo ?? '')}.git`,
          ...(git?.branch !== undefined && { branch: git.branch }),
          ...(git?.directory !== undefined && { directory: git.directory }),
        },
      },
    }));
  const inventory = others.filter(({ kind }) => targets.kinds.has(kind));
  return [
    [`${FOLDER}/repositories.yaml`, named.map((one) => stringify(one)).join('---\n')],
    ...variants.map((one): readonly [string, string] => [
      `${FOLDER}/${one.kind.toLowerCase()}-${one.metadata.namespace ?? 'default'}-${one.metadata.name}.yaml`,
      stringify(cleaned(one)),
    ]),
    ...inventory.map((one): readonly [string, string] => [
      `.github/portico/inventory/${one.kind.toLowerCase()}-${one.metadata.namespace ?? 'default'}-${one.metadata.name}.yaml`,
      stringify(cleaned(one)),
    ]),
  ];
}

/** The object without what the API server keeps for itself. */
function cleaned({ status: _status, metadata, ...rest }: PorchObject): Record<string, unknown> {
  const { apiVersion, kind, ...more } = rest;
  return { apiVersion, kind, metadata: cleanMetadata(metadata), ...more };
}

function cleanMetadata({
  name,
  namespace,
  labels,
  annotations,
}: PorchObject['metadata']): Record<string, unknown> {
  const own = Object.entries(annotations ?? {}).filter(([key]) => !key.startsWith('kubectl.kubernetes.io/'));
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(labels !== undefined && { labels }),
    ...(own.length > 0 && { annotations: Object.fromEntries(own) }),
  };
}

/** What becomes of the package revisions: git holds all but what Porch kept beside it. */
function revisionNotes({ revisions }: PorchObjects, own: readonly PorchRepository[]): string[] {
  const names = new Set(own.map(({ metadata }) => metadata.name));
  const mine = revisions.filter(({ spec }) => names.has(spec.repository ?? spec.repositoryName ?? ''));
  if (mine.length === 0) return [];
  const counts = Map.groupBy(mine, ({ spec }) => spec.lifecycle ?? 'Draft');
  const text = [...counts].map(([lifecycle, list]) => `${list.length} ${lifecycle}`).join(', ');
  const beside = mine.filter(({ metadata }) => {
    const keys = [...Object.keys(metadata.labels ?? {}), ...Object.keys(metadata.annotations ?? {})];
    return keys.some((key) => !/(?:^|\.)(?:kpt\.dev|kubernetes\.io)\//.test(key));
  });
  return [
    `Package revisions: ${text}. Published ones are tags, drafts are branches drafts/…, and they go on as they are; proposed ones get a pull request, and proposed deletions an issue.`,
    ...(beside.length > 0
      ? [
          `${beside.length} package revisions have labels or annotations that Porch keeps outside git; they are not migrated. Write those that matter into the Kptfile.`,
        ]
      : []),
  ];
}

function problemsIn(path: string, text: string): string[] {
  if (path === CONFIGURATION)
    return parseRepositoryConfig({ file: path, bytes: new TextEncoder().encode(text) }).problems.map(
      ({ message, hint }) => `${path}: ${message}. ${hint}`,
    );
  const { documents, problems } = readVariantDocuments(text);
  const refused = documents.flatMap((one) => (one.kind === 'refused' ? one.problems : []));
  return [...problems, ...refused].map(({ line, message }) => `${path}:${line}: ${message}`);
}

function directoryOf(directory: string | undefined): string {
  const path = plainPath(directory ?? '/');
  return path === '' || path === '.' ? '/' : path;
}

/** `owner/name` of an address. */
function nameOf(address: string): string | undefined {
  return /(?:^|[/:])([\w.-]+\/[\w.-]+)$/.exec(plainAddress(address))?.[1];
}
