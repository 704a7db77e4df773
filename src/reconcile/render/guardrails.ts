import { admissionPolicyIn } from '../../config/admission-policy.ts';
import { exemptionsInForce } from '../../config/exemptions.ts';
import { loadAllowedFunctions } from '../../config/function-config.ts';
import { guardrailDigest, guardrailsFor, readsBase, regoOf } from '../../config/guardrail-config.ts';
import type { Exemption, GuardrailConfig, RepositoryConfig } from '../../config/repository-config.ts';
import { PorticoError, type Refusal } from '../../error.ts';
import { configObject } from '../../package/render/config-object.ts';
import type { ForeignFunctions, RegoModule } from '../../package/render/function-runtime.ts';
import { mayHideFiles } from '../../package/render/hidden-resources.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import type { FunctionRun, Guardrail, RenderInput } from '../../package/render/render-types.ts';
import { digestOf, fileDigest, type Digest } from '../../revision/digest.ts';
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import type { Git } from '../git-port.ts';
import type { RepositoryAccess } from '../ports.ts';
import { packagedPart, type PackagedFiles } from '../repository/package-files.ts';
import { loadDefinitions, namedRepositories, NOT_APPROVED, type Definitions } from './crd-definitions.ts';

type Policy = NonNullable<Guardrail['policy']>;

/** The guardrails of the base branch with the configuration files that they name, read from there too. */
export interface LoadedGuardrails {
  /** Identity of all of it, part of what an approval is for. */
  readonly digest: Digest;
  /** Functions that are allowed beside the built-in ones. */
  readonly foreign: ForeignFunctions;
  /** Other repositories that they read, in lower case. */
  readonly reads: ReadonlySet<string>;
  /** Guardrails that were not loaded because nobody has approved what they read. */
  readonly unapproved: readonly string[];
  /** The tools that apply packages; absent: any. */
  readonly deploy?: RepositoryConfig['deploy'];
  /** The exemptions that count. */
  readonly exemptions: readonly Exemption[];
  /** What each guardrail does with what it finds, by name. */
  readonly modes: ReadonlyMap<string, GuardrailConfig['mode']>;
  /** Those of one package (path below the registered directory), ready to run. */
  forPackage(path: string): readonly Guardrail[];
  /** Runs that could not be, because a configuration file is missing or wrong. */
  brokenFor(path: string): readonly FunctionRun[];
}

/**
 * Reads `configPath` files, named from the top of the repository, at a commit of the base branch: a proposal cannot
 * bring the configuration that it is judged by.
 */
export async function loadGuardrails({
  git,
  config,
  base,
  signal,
  approved,
  now,
}: {
  readonly git: Git;
  readonly config: RepositoryConfig;
  readonly base: string;
  /** By which exemptions count; null: none does, where nothing is judged. */
  readonly now: Date | null;
  readonly signal?: AbortSignal | undefined;
  /** Private repositories that may be read; for a configuration that nobody has approved. */
  readonly approved?: ReadonlySet<string> | undefined;
}): Promise<LoadedGuardrails> {
  const configured = [...config.guardrails.mutators, ...config.guardrails.validators];
  const mutators = new Set(config.guardrails.mutators.map(({ name }) => name));
  const objects = new Map<string, KrmObject | Refusal>();
  const policies = new Map<string, Policy | Refusal>();
  const definitions = new Map<string, Definitions | Refusal>();
  const ids: [string, string | null][] = [];
  for (const { name, crds } of configured) {
    if (crds === undefined) continue;
    const read = await loadDefinitions(git, crds, { base, approved }, signal);
    definitions.set(name, read);
    ids.push([name, 'code' in read ? null : read.ids.join(' ')]);
  }
  const modules = new Map<string, RegoModule>();
  for (const entry of configured) {
    const { name, configPath, policyPath, rego } = entry;
    const path = configPath ?? policyPath ?? rego;
    if (path === undefined) continue;
    const bytes = await git.readFile(base, path, signal);
    ids.push([name, bytes && digestOf('portico guardrail file 1', new TextDecoder().decode(bytes))]);
    const module = bytes === null ? undefined : regoOf(entry, bytes);
    if (bytes === null) objects.set(name, missing(path, fieldOf(entry)));
    else if (module !== undefined && module.sha256 !== fileDigest(bytes))
      objects.set(name, otherModule(module.file, fileDigest(bytes)));
    else if (module !== undefined) modules.set(name, module);
    else if (configPath !== undefined) objects.set(name, readConfig(configPath, bytes));
    else policies.set(name, readPolicy(path, bytes, mutators.has(name) ? 'mutator' : 'validator'));
  }
  const functions = await loadAllowedFunctions(config.functions, (file) => git.readFile(base, file, signal));
  const foreign = { ...functions, policies: modules.size > 0 };
  for (const { image, code } of foreign.allowed) {
    if (code.kind === 'wasm') ids.push([image, code.bytes === null ? null : String(code.bytes.length)]);
  }
  const exemptions = now === null ? [] : exemptionsInForce(config, now);
  const own = guardrailDigest(config, exemptions);
  const refusalOf = (name: string): Refusal | undefined =>
    [objects.get(name), policies.get(name), definitions.get(name)].find((one) => isRefusal(one));
  const isUnapproved = (name: string): boolean => refusalOf(name)?.code === NOT_APPROVED;
  const isBroken = (name: string): boolean => refusalOf(name) !== undefined;
  return {
    foreign,
    reads: namedRepositories(configured),
    unapproved: configured.map(({ name }) => name).filter(isUnapproved),
    digest: ids.length === 0 ? own : digestOf('portico guardrails with files 1', [own, ids]),
    exemptions,
    modes: new Map(configured.map(({ name, mode }) => [name, mode])),
    ...(config.deploy && { deploy: config.deploy }),
    forPackage: (path) =>
      guardrailsFor(config, path, exemptions)
        .filter(({ name }) => !isBroken(name))
        .map((guardrail) => withConfig(guardrail, objects.get(guardrail.name)))
        .map((guardrail) => withDefinitions(guardrail, definitions.get(guardrail.name)))
        .map((guardrail) => withModule(guardrail, modules.get(guardrail.name)))
        .map((guardrail) => withPolicy(guardrail, policies.get(guardrail.name), configured)),
    brokenFor: (path) =>
      guardrailsFor(config, path)
        .filter(({ name }) => isBroken(name) && !isUnapproved(name))
        .flatMap((guardrail) => {
          const refusal = refusalOf(guardrail.name);
          return refusal === undefined ? [] : [brokenRun(guardrail, refusal, configured)];
        }),
  };
}

/** What policies are told of a package: its place, and its files in the base where one of them compares. */
export async function contextOf(
  { git, ref }: Pick<RepositoryAccess, 'git'> & Partial<Pick<RepositoryAccess, 'ref'>>,
  guardrails: readonly Guardrail[],
  /** `treeish` is a commit, or the tree at `directory` ''; null: the package is new. */
  {
    path,
    treeish,
    directory,
    head,
    deploy,
  }: {
    readonly path: string;
    readonly treeish: string | null;
    readonly directory: RepositoryDirectory;
    /** The package in the head, where what is newly hidden in it counts. */
    readonly head?: PackagedFiles;
    /** The tools that apply the package; absent: any. */
    readonly deploy?: RepositoryConfig['deploy'];
  },
  signal?: AbortSignal,
): Promise<NonNullable<RenderInput['context']>> {
  const links = head?.skipped ?? [];
  const hides = head !== undefined && guardrails.length > 0 && (links.length > 0 || mayHideFiles(head.files));
  const compared = treeish !== null && (readsBase(guardrails) || hides);
  const before = compared ? await git.readPackage(treeish, directory, {}, signal) : undefined;
  const base = before && packagedPart(before);
  return {
    path,
    repository: ref === undefined ? '' : `${ref.owner}/${ref.name}`,
    ...(base && { base: base.files, linksBefore: base.skipped }),
    ...((treeish === null || base === null) && { isNew: true }),
    ...(links.length > 0 && { links }),
    ...(deploy && { deploy }),
  };
}

function withConfig(guardrail: Guardrail, config: KrmObject | Refusal | undefined): Guardrail {
  if (config === undefined || isRefusal(config)) return guardrail;
  const { configPath: _configPath, ...spec } = guardrail.spec;
  return { ...guardrail, spec, functionConfig: config };
}

function withDefinitions(guardrail: Guardrail, read: Definitions | Refusal | undefined): Guardrail {
  return read === undefined || isRefusal(read) ? guardrail : { ...guardrail, definitions: read.definitions };
}

function withModule(guardrail: Guardrail, rego: RegoModule | undefined): Guardrail {
  return rego === undefined ? guardrail : { ...guardrail, rego };
}

/** A policy out of a file, with the params that the configuration gives it. */
function withPolicy(
  guardrail: Guardrail,
  policy: Policy | Refusal | undefined,
  configured: readonly GuardrailConfig[],
): Guardrail {
  if (policy === undefined || isRefusal(policy)) return guardrail;
  const params = configured.find(({ name }) => name === guardrail.name)?.params;
  return { ...guardrail, policy, params: [params ?? null] };
}

function brokenRun(
  { name, type, spec }: Guardrail,
  refused: Refusal,
  configured: readonly GuardrailConfig[],
): FunctionRun {
  const image = configured.find((one) => one.name === name)?.image ?? name;
  return { package: '.', function: image, spec, type, guardrail: name, exitCode: 1, results: [], refused };
}

function fieldOf({ configPath, rego }: GuardrailConfig): string {
  if (configPath !== undefined) return 'configPath';
  return rego === undefined ? 'policyPath' : 'rego';
}

function missing(path: string, field: string): Refusal {
  return {
    code: 'GUARDRAIL_CONFIG_MISSING',
    message: `${path} is not on the base branch`,
    hint: `Add the file there, or fix ${field}, which is relative to the root of the repository.`,
  };
}

function otherModule(path: string, found: string): Refusal {
  return {
    code: 'WASM_DIGEST',
    message: `${path} does not match the configured module: its sha256 is ${found}`,
    hint: 'Fix sha256, or add the module with that digest.',
  };
}

function readConfig(path: string, bytes: Uint8Array): KrmObject | Refusal {
  try {
    return configObject(path, bytes);
  } catch (error) {
    if (!(error instanceof PorticoError) || error.blame !== 'user') throw error;
    return { code: error.code, message: error.message, hint: error.hint ?? 'Fix the file.' };
  }
}

function readPolicy(path: string, bytes: Uint8Array, type: Guardrail['type']): Policy | Refusal {
  const read = admissionPolicyIn({ file: path, bytes }, type);
  if ('policy' in read) return read.policy;
  const [first] = read.problems;
  return {
    code: 'GUARDRAIL_CONFIG_INVALID',
    message: `${path}:${first?.line ?? 1}: ${first?.message ?? 'the policy cannot be read'}`,
    hint: first?.hint ?? 'Fix the file.',
  };
}

/** A resource has an apiVersion, a refusal a code and a hint. */
function isRefusal(value: KrmObject | Policy | Definitions | Refusal | undefined): value is Refusal {
  return value !== undefined && 'hint' in value && 'code' in value && !('apiVersion' in value);
}
