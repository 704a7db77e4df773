/** Pure: what a proposed configuration changes of the one in effect, field by field, and which of it protects less. */

import type { PackageChannels } from '../../channels/package-channels.ts';
import { followText } from '../../channels/plan.ts';
import { soakSeconds } from '../../channels/soak.ts';
import { grantsOf } from '../../command/authorize.ts';
import { commands } from '../../command/table.ts';
import type { Grant, RepositoryConfig } from '../../config/repository-config.ts';
import { WEAKER_RULES, type WeakerRule } from '../../config/weaker-rules.ts';
import type { Rollout } from '../../package/rollout/rollout.ts';
import { canonicalJson } from '../../revision/digest.ts';
import { durationText } from '../../text/duration.ts';
import { rolloutsInEffect, takenFrom } from './taken-packages.ts';

/** One field that differs. */
export interface ConfigurationChange {
  /** As the file names it, entries of lists by their names: `guardrails.validators[schema].mode`. */
  readonly field: string;
  /** As people write the values. */
  readonly before: string;
  readonly after: string;
  /** True if a person whom `publish.weakeningApprovalBy` names must approve it. */
  readonly weaker: boolean;
}

/** Everything of a repository that decides what is let in. */
export interface Configured {
  readonly config: RepositoryConfig;
  readonly rollouts: readonly Rollout[];
  /** Lines of the CODEOWNERS file in effect, comments left out. */
  readonly owners: readonly string[];
  /** Channels with a promotion; absent: none. */
  readonly channels?: readonly GatedChannel[];
}

/** Who must approve a weaker configuration where it names no one. */
const ADMINS: readonly Grant[] = [{ kind: 'role', role: 'admin' }];

/** The people who must approve a weaker configuration; empty: no approval is needed. */
export function weakeningApprovers({ publish }: Pick<RepositoryConfig, 'publish'>): readonly Grant[] {
  return publish.weakeningApprovalBy ?? ADMINS;
}

/** All differences, those that weaken first. */
export function configurationChanges(before: Configured, after: Configured): ConfigurationChange[] {
  const found: ConfigurationChange[] = [];
  const [old, now] = [before, after].map((side) => ({
    ...side,
    rollouts: rolloutsInEffect(side.rollouts),
  })) as [Configured, Configured];
  const taken = takenFrom(old.rollouts, now.rollouts);
  const trees = { before: treeOf(old, old, now), after: treeOf(now, old, old, taken) };
  compare({ ...trees, rule: '', field: '' }, found);
  return found.toSorted((a, b) => Number(b.weaker) - Number(a.weaker));
}

/** What must be approved, as the digest of the content holds it: an approval is for these changes alone. */
export function weakeningOf(changes: readonly ConfigurationChange[]): readonly (readonly string[])[] {
  return changes
    .filter(({ weaker }) => weaker)
    .map(({ field, before, after }) => [field, before, after])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
}

type Tree = Readonly<Record<string, unknown>>;

interface Sides {
  readonly before: unknown;
  readonly after: unknown;
  /** Path in the table. */
  readonly rule: string;
  /** Path for people. */
  readonly field: string;
}

const CLOSED: WeakerRule = { isWeaker: () => true };

function compare({ before, after, rule, field }: Sides, found: ConfigurationChange[]): void {
  if (isSame(before, after)) return;
  const known = WEAKER_RULES[rule];
  if (known?.namedBy !== undefined) {
    compareEntries({ before, after, rule, field }, known.namedBy, found);
  } else if (isTree(before) && isTree(after) && (known === undefined || rule.endsWith(']'))) {
    compareFields({ before, after, rule, field }, found);
  } else if (known === undefined && hasRulesBelow(rule) && (isTree(before) || isTree(after))) {
    compareFields({ before: before ?? {}, after: after ?? {}, rule, field }, found);
  } else {
    const { isWeaker, field: name = field } = known ?? CLOSED;
    found.push({
      field: name,
      before: shown(before, field, after),
      after: shown(after, field, before),
      weaker: isWeaker(before, after),
    });
  }
}

function compareFields({ before, after, rule, field }: Sides, found: ConfigurationChange[]): void {
  const [old, now] = [before as Tree, after as Tree];
  for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
    const path = rule === '' ? key : `${rule}.${key}`;
    compare(
      {
        before: old[key],
        after: now[key],
        rule: rule === 'access' ? 'access.*' : path,
        field: field === '' ? key : `${field}.${key}`,
      },
      found,
    );
  }
}

/** Two lists, entry by entry of one name. Names are unique in each. */
function compareEntries(
  { before, after, rule, field }: Sides,
  namedBy: string,
  found: ConfigurationChange[],
): void {
  const byName = (list: unknown): Map<string, unknown> =>
    new Map((Array.isArray(list) ? list : []).map((one: Tree) => [String(one[namedBy]), one]));
  const [old, now] = [byName(before), byName(after)];
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    compare(
      { before: old.get(name), after: now.get(name), rule: `${rule}[]`, field: `${field}[${name}]` },
      found,
    );
  }
}

/** In a wrapper, because nothing is no JSON. */
function isSame(before: unknown, after: unknown): boolean {
  return canonicalJson({ before }) === canonicalJson({ before: after });
}

function hasRulesBelow(path: string): boolean {
  return Object.keys(WEAKER_RULES).some((one) => one.startsWith(`${path}.`) || one.startsWith(`${path}[`));
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A channel that revisions join through gates. */
export interface GatedChannel {
  /** Package and channel: `web/stable`. */
  readonly name: string;
  readonly from: string;
  /** Seconds. */
  readonly soak: number;
  readonly require: readonly string[];
  /** Of a hundred. */
  readonly healthy: number;
  readonly approvers: readonly string[];
  /** Who proposes a promotion; absent: people. */
  readonly promotion?: 'open' | 'merge';
  /** Every published revision is a member, whatever the gates say. */
  readonly auto?: 'all';
}

/** The channels of a package with a promotion. */
export function gatedChannels(path: string, { channels }: PackageChannels): readonly GatedChannel[] {
  return channels.flatMap(({ name, auto, promotion: gates }) =>
    gates === undefined
      ? []
      : {
          name: `${path}/${name}`,
          from: gates.from,
          soak: soakSeconds(gates.soak ?? ''),
          require: gates.require,
          healthy: gates.healthy ?? 100,
          approvers: gates.approvers,
          ...(gates.auto && { promotion: gates.auto }),
          ...(auto && { auto }),
        },
  );
}

/** The configuration as a tree of plain values, as they count: defaults filled in, grants as people write them. */
function treeOf(
  { config, rollouts, owners, channels = [] }: Configured,
  inEffect: Configured,
  other: Configured,
  taken?: ReturnType<typeof takenFrom>,
): Tree {
  const { access: _access, publish, updates, guardrails, exemptions = [], ...rest } = config;
  const { requireApprovalBy = [], codeOwners = true, approvals, ...published } = publish;
  const { follow, ...updated } = updates;
  return {
    ...rest,
    guardrails: { ...guardrails, ...orderOf('mutators', guardrails, other.config.guardrails) },
    exemptions,
    access: Object.fromEntries(
      commands.map((command) => [command.name, grantsOf(config, command).map(grantText).sort()]),
    ),
    publish: {
      ...published,
      codeOwners,
      requireApprovalBy: requireApprovalBy.map(grantText).sort(),
      weakeningApprovalBy: weakeningApprovers(config).map(grantText).sort(),
      approvals: { from: approvals?.from ?? [], to: approvals?.to ?? [] },
    },
    updates: {
      ...updated,
      [mergesUnattended(inEffect.config) ? 'followUnattended' : 'follow']: followText(follow),
    },
    sharing: config.sharing ?? { to: [], from: [] },
    controlledBy: config.controlledBy ?? [],
    dashboard: config.dashboard ?? true,
    // Owners whose approval no one asks for protect nothing.
    ...(asksOwners(inEffect.config) && { codeOwners: owners }),
    channels,
    rollouts: rollouts.map((rollout) => ({
      ...rollout,
      ...(taken?.has(rollout.name) && { 'taken by': taken.get(rollout.name) }),
      ...orderOf(
        'waves',
        rollout,
        other.rollouts.find(({ name }) => name === rollout.name),
      ),
    })),
  };
}

/** The order of the entries that both sides have: what is added or removed has a row of its own. */
function orderOf<List extends string>(
  list: List,
  one: Readonly<Record<List, readonly { readonly name: string }[]>>,
  other: typeof one | undefined,
): Tree {
  const both = new Set(other?.[list].map(({ name }) => name));
  const names = one[list].map(({ name }) => name).filter((name) => both.has(name));
  return names.length === 0 ? {} : { [`${list} (order)`]: names };
}

function asksOwners({ publish }: RepositoryConfig): boolean {
  return publish.requireApprovals > 0 && publish.codeOwners !== false;
}

function mergesUnattended({ updates }: RepositoryConfig): boolean {
  return updates.automerge !== 'none' || updates.direct === true;
}

function grantText(grant: Grant): string {
  switch (grant.kind) {
    case 'role':
      return grant.role;
    case 'team':
      return `@${grant.team}`;
    case 'person':
      return `@${grant.login}`;
    case 'author':
      return 'author';
  }
}

/** Fields that hold seconds. */
const SECONDS = /\.(?:minimumAge|soak|pauseAfter|timeout)$/;

/** Entries of a list that are shown whatever the other side has. */
const SHORT_LIST = 5;

/** A value as people write it; of a long list what the `other` side does not have, so that it is not lost among the rest. */
function shown(value: unknown, field: string, other?: unknown): string {
  if (value === undefined) return 'not set';
  if (Array.isArray(value) && value.length === 0) return 'none';
  if (Array.isArray(value) && Array.isArray(other) && value.length + other.length > SHORT_LIST) {
    const known = new Set(other.map(canonicalJson));
    const own = value.filter((one) => !known.has(canonicalJson(one)));
    const kept = value.length - own.length;
    // In another order, all of it is shown.
    if (kept > 0 && (own.length > 0 || value.length !== other.length))
      return [...own.map((one) => shown(one, field)), `${kept} that stay`].join(', ');
  }
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ');
  if (typeof value === 'number' && SECONDS.test(field)) return durationText(value);
  if (!isTree(value)) return typeof value === 'string' ? value : JSON.stringify(value);
  const { name: _name, file: _file, ...fields } = value;
  return Object.entries(fields)
    .map(([key, one]) => `${key}: ${shown(one, key)}`)
    .join('; ');
}
