/** From the bytes of `.github/portico.yaml` to a configuration, or to the list of mistakes in it. */
import { repositoryDirectory } from '../revision/package-path.ts';
import { parseGrant } from './access.ts';
import { parseAge } from './age.ts';
import type { ConfigProblem } from './config-problem.ts';
import { parseFollow } from './follow.ts';
import { toAllowedFunctions } from './function-schema.ts';
import { mergeDefaults } from './merge-defaults.ts';
import { toOci } from './oci-schema.ts';
import type { GuardrailConfig, Grant, RepositoryConfig, Sharing, UpdatePolicy } from './repository-config.ts';
import { checkDocument, type CheckedDocument, type ConfigSource } from './repository-document.ts';
import type { RepositorySpec } from './repository-schema.ts';

export interface ConfigOptions {
  /** The registered branch where the file names none; `main` by default. */
  readonly defaultBranch?: string;
  /** The organisation's defaults; their mistakes are reported with their own file name. */
  readonly organization?: ConfigSource;
}

/** Either a configuration or at least one problem. */
export type ConfigResult =
  | { readonly ok: true; readonly config: RepositoryConfig; readonly problems: readonly [] }
  | { readonly ok: false; readonly config: undefined; readonly problems: readonly ConfigProblem[] };

/** Parses a repository's configuration. Never throws: every mistake is a problem with its place. */
export function parseRepositoryConfig(source: ConfigSource, options: ConfigOptions = {}): ConfigResult {
  const own = checkDocument(source);
  const organization = options.organization && checkDocument(options.organization);
  const problems = [...own.problems, ...(organization?.problems ?? [])];
  if (own.spec === undefined || problems.length > 0) return { ok: false, config: undefined, problems };
  const spec = organization?.spec === undefined ? own.spec : mergeDefaults(own.spec, organization.spec);
  const config = toConfig(spec, options.defaultBranch ?? 'main');
  const contradiction = directProblem(config, [
    { ...source, checked: own },
    ...(options.organization && organization ? [{ ...options.organization, checked: organization }] : []),
  ]);
  return contradiction === undefined
    ? { ok: true, config, problems: [] }
    : { ok: false, config: undefined, problems: [contradiction] };
}

const DIRECT = ['spec', 'updates', 'pullRequest'] as const;

/** An update without a pull request has nobody who approves it: both together mean something that nobody can tell. */
function directProblem(
  { updates, publish }: Pick<RepositoryConfig, 'updates' | 'publish'>,
  files: readonly (ConfigSource & { readonly checked: CheckedDocument })[],
): ConfigProblem | undefined {
  if (updates.direct !== true) return undefined;
  const needs =
    updates.automerge === 'none'
      ? '`updates.automerge`'
      : publish.requireApprovals > 0
        ? '`publish.requireApprovals: 0`'
        : publish.requireApprovalBy !== undefined
          ? 'a configuration without `publish.requireApprovalBy`'
          : undefined;
  const written = files.find(({ checked }) => checked.spec?.updates?.pullRequest === false);
  if (needs === undefined || written === undefined) return undefined;
  return {
    code: 'contradiction',
    file: written.file,
    path: DIRECT.join('.'),
    ...written.checked.placeOf(DIRECT),
    message: `${DIRECT.join('.')}: false needs ${needs}`,
    hint: 'Remove `pullRequest: false`, or let updates merge automatically and without approvals.',
  };
}

/** The configuration of a repository whose file says nothing: every default. */
export function defaultRepositoryConfig(branch = 'main'): RepositoryConfig {
  return toConfig({}, branch);
}

function toConfig(spec: RepositorySpec, defaultBranch: string): RepositoryConfig {
  const { guardrails, publish, inventory, defaultUpstream } = spec;
  return {
    branch: spec.branch ?? defaultBranch,
    directory: repositoryDirectory(spec.directory ?? '/'),
    deployment: spec.deployment ?? false,
    ...(spec.deploy && { deploy: spec.deploy }),
    versioning: spec.versioning ?? 'sequence',
    ...(defaultUpstream && { defaultUpstream }),
    guardrails: {
      mutators: (guardrails?.mutators ?? []).map(toGuardrail),
      validators: (guardrails?.validators ?? []).map(toGuardrail),
    },
    functions: toAllowedFunctions(spec.functions ?? []),
    access: new Map(
      Object.entries(spec.access ?? {}).map(([command, grants = []]) => [command, toGrants(grants)]),
    ),
    publish: {
      release: publish?.release ?? spec.deployment !== true,
      requireApprovals: publish?.requireApprovals ?? 1,
      allowSelfApproval: publish?.allowSelfApproval ?? false,
      ...(publish?.requireApprovalBy && { requireApprovalBy: toGrants(publish.requireApprovalBy) }),
      ...(publish?.weakeningApprovalBy && { weakeningApprovalBy: toGrants(publish.weakeningApprovalBy) }),
      directPushes: publish?.directPushes ?? 'flag',
      ...(publish?.mergeMethod !== undefined && { mergeMethod: publish.mergeMethod }),
      ...(publish?.codeOwners !== undefined && { codeOwners: publish.codeOwners }),
      ...(publish?.approvals && {
        approvals: { from: publish.approvals.from ?? [], to: publish.approvals.to ?? [] },
      }),
    },
    ...(spec.oci && { oci: toOci(spec.oci) }),
    updates: toUpdates(spec.updates ?? {}),
    ...(spec.health && { health: toHealth(spec.health) }),
    upstreams: toUpstreams(spec.upstreams ?? {}),
    ...(spec.sharing && { sharing: toSharing(spec.sharing) }),
    ...(spec.controlledBy && { controlledBy: spec.controlledBy }),
    ...(spec.dashboard === false && { dashboard: false }),
    ...(spec.organization && { organization: toOrganization(spec.organization) }),
    ...(inventory && { inventory: { directory: repositoryDirectory(inventory.directory) } }),
  };
}

function toOrganization({
  dashboard,
  listed,
}: NonNullable<RepositorySpec['organization']>): NonNullable<RepositoryConfig['organization']> {
  return { ...(dashboard !== undefined && { dashboard }), ...(listed !== undefined && { listed }) };
}

function toSharing({ to, from, within }: NonNullable<RepositorySpec['sharing']>): Sharing {
  return { to: to ?? [], from: from ?? [], ...(within === 'organization' && { within: true }) };
}

/** Selectors come from the schema, whose absent fields may be undefined; data has no such fields. */
function toGuardrail(written: {
  readonly name: string;
  readonly mode?: GuardrailConfig['mode'] | undefined;
}): GuardrailConfig {
  const fields = Object.entries(written).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(fields), name: written.name, mode: written.mode ?? 'enforce' };
}

function toHealth({
  statuses,
  deployments,
}: NonNullable<RepositorySpec['health']>): NonNullable<RepositoryConfig['health']> {
  return { ...(statuses && { statuses }), ...(deployments && { deployments }) };
}

function toUpstreams({
  allow = [],
  map,
}: NonNullable<RepositorySpec['upstreams']>): RepositoryConfig['upstreams'] {
  const credentials = allow.flatMap((entry) =>
    typeof entry === 'string' || entry.credentials === undefined
      ? []
      : [{ address: entry.address, name: entry.credentials }],
  );
  return {
    allow: allow.map((entry) => (typeof entry === 'string' ? entry : entry.address)),
    ...(credentials.length > 0 && { credentials }),
    ...(map && { map }),
  };
}

/** The schema has checked each text, so that none is lost here. */
function toGrants(texts: readonly string[]): Grant[] {
  return texts.map(parseGrant).filter((grant) => typeof grant !== 'string');
}

function toUpdates(written: NonNullable<RepositorySpec['updates']>): UpdatePolicy {
  const follow = parseFollow(written.follow ?? 'latest');
  const age = parseAge(written.minimumAge ?? '0m');
  const soak = parseAge(written.soak ?? '0m');
  return {
    follow: typeof follow === 'string' ? { kind: 'none' } : follow,
    ...(written.policy === 'SelfCertified' && { policy: written.policy }),
    ...(written.onWithdrawn === 'ignore' && { onWithdrawn: written.onWithdrawn }),
    ...(typeof soak === 'number' && soak > 0 && { soak }),
    ...(written.schedule !== undefined && { schedule: written.schedule.trim() }),
    ...(written.timeZone !== undefined && { timeZone: written.timeZone }),
    ...(typeof age === 'number' && age > 0 && { minimumAge: age }),
    automerge: automergeOf(written.automerge ?? false),
    ...(written.automergeFrom !== undefined && { automergeFrom: written.automergeFrom }),
    ...(written.pullRequest === false && { direct: true as const }),
    maxOpen: written.maxOpen ?? 5,
    ...(written.group !== undefined && {
      groups: written.group === 'all' ? [{ name: 'all', packages: ['**', '.'] }] : written.group,
    }),
    ...(written.priority !== undefined && { priority: written.priority }),
    ...(written.labels !== undefined && { labels: written.labels }),
  };
}

function automergeOf(
  written: boolean | 'none' | 'patch' | 'minor' | 'major' | 'all',
): UpdatePolicy['automerge'] {
  if (written === true || written === 'major') return 'all';
  return written === false ? 'none' : written;
}
