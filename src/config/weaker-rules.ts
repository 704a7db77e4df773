/**
 * For each field of the configuration: which change makes it weaker. A field without a rule counts as weaker whenever it
 * changes, so that a new field fails closed; `test/config/weaker-rules.test.ts` requires a rule for each field of the schemas.
 */
import { canonicalJson } from '../revision/digest.ts';
import { parseGrant } from './access.ts';
import type { Grant } from './repository-config.ts';
import { atLeast } from './role.ts';

/** True where `after` protects less than `before`. Undefined stands for a field that is absent. */
type IsWeaker = (before: unknown, after: unknown) => boolean;

export interface WeakerRule {
  /** As people write it, where that differs from the path: `updates.pullRequest`. */
  readonly field?: string;
  readonly isWeaker: IsWeaker;
  /** The entries of this list are compared one by one, by the field that names them. */
  readonly namedBy?: string;
}

const never: IsWeaker = () => false;
const always: IsWeaker = () => true;
const smaller: IsWeaker = (before, after) => Number(after ?? 0) < Number(before ?? 0);
const switchedOn: IsWeaker = (_before, after) => after === true;
const switchedOff: IsWeaker = (before, after) => after === false || (before === true && after === undefined);
/** It appears, or differs; to remove it is safe. */
const present: IsWeaker = (_before, after) => after !== undefined;
/** It is removed, or differs; to add it is safe. */
const missing: IsWeaker = (before) => before !== undefined;
/** An entry is added. */
const longer: IsWeaker = (before, after) => hasOthers(before ?? [], after ?? []);
/** An entry is removed. */
const shorter: IsWeaker = (before, after) => hasOthers(after ?? [], before ?? []);
/** The same for lists whose absence means everything. */
const narrower: IsWeaker = (before, after) =>
  after !== undefined && (before === undefined || hasOthers(after, before));
const broader: IsWeaker = (before, after) =>
  before !== undefined && (after === undefined || hasOthers(before, after));

/** Values from the strictest to the weakest; another value is the weakest. */
function oneOf(...values: readonly unknown[]): IsWeaker {
  const rank = (value: unknown): number => (values.includes(value) ? values.indexOf(value) : values.length);
  return (before, after) => rank(after) > rank(before);
}

/** Someone may who could not before; who is in a team or has a role is not known here. */
const moreAccess: IsWeaker = (before, after) => {
  const had = grantsIn(before);
  return grantsIn(after).some((grant) => !had.some((one) => includes(one, grant)));
};

function grantsIn(value: unknown): Grant[] {
  return listOf(value).flatMap((text) => {
    const grant = parseGrant(String(text));
    return typeof grant === 'string' ? [] : [grant];
  });
}

/** An empty list asks for no one in particular, which is the weakest. */
const fewerApprovers: IsWeaker = (before, after) =>
  listOf(before).length > 0 && (listOf(after).length === 0 || moreAccess(before, after));

function includes(one: Grant, other: Grant): boolean {
  if (one.kind === 'role' && other.kind === 'role') return atLeast(other.role, one.role);
  return canonicalJson(one) === canonicalJson(other);
}

function hasOthers(list: unknown, other: unknown): boolean {
  const known = new Set(listOf(list).map(canonicalJson));
  return listOf(other).some((entry) => !known.has(canonicalJson(entry)));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const FREE: WeakerRule = { isWeaker: never };

/** What two guardrails of one name may differ in. */
function guardrail(list: 'mutators' | 'validators'): Record<string, WeakerRule> {
  const at = `guardrails.${list}[]`;
  return {
    [`guardrails.${list}`]: { isWeaker: never, namedBy: 'name' },
    // A validator that is added asks for more. A mutator may write what others pass over.
    [at]: { isWeaker: list === 'mutators' ? always : missing },
    [`${at}.mode`]: { isWeaker: oneOf('enforce', 'warn', 'dryrun') },
    [`${at}.paths`]: { isWeaker: narrower },
    [`${at}.labels`]: { isWeaker: present },
    [`${at}.selectors`]: { isWeaker: narrower },
    [`${at}.exclude`]: { isWeaker: longer },
    [`${at}.message`]: FREE,
    [`${at}.messageExpression`]: FREE,
    [`${at}.field`]: FREE,
    // What they judge by: whether that is less, no one can tell.
    ...Object.fromEntries(
      ['image', 'configMap', 'configPath', 'policyPath', 'params', 'cel', 'policy', 'crds', 'rego']
        .concat('sha256', 'entrypoint', 'admission')
        .map((field) => [`${at}.${field}`, { isWeaker: always }]),
    ),
  };
}

/** By the path in the configuration in effect; `[]` stands for an entry with its name, `access.*` for a command. */
export const WEAKER_RULES: Readonly<Record<string, WeakerRule>> = {
  // Other packages are registered: those that were are judged no more.
  branch: { isWeaker: always },
  directory: { isWeaker: always },
  deployment: FREE,
  // Files of a tool that is not named are judged by no one.
  deploy: { isWeaker: narrower },
  versioning: FREE,
  defaultUpstream: FREE,
  ...guardrail('mutators'),
  ...guardrail('validators'),
  // The order in which mutators run decides what they leave.
  'guardrails.mutators (order)': { isWeaker: always },
  'guardrails.files': { field: 'guardrails (files)', isWeaker: always },
  functions: { isWeaker: never, namedBy: 'image' },
  'functions[]': { isWeaker: present },
  'functions[].wasm': { isWeaker: always },
  'functions[].container': { isWeaker: always },
  'functions[].timeoutSeconds': FREE,
  'functions[].memoryMi': FREE,
  'access.*': { isWeaker: moreAccess },
  'publish.release': FREE,
  'publish.requireApprovals': { isWeaker: smaller },
  'publish.allowSelfApproval': { isWeaker: switchedOn },
  'publish.requireApprovalBy': { isWeaker: fewerApprovers },
  'publish.weakeningApprovalBy': { isWeaker: fewerApprovers },
  'publish.directPushes': { isWeaker: oneOf('flag', 'publish') },
  'publish.mergeMethod': FREE,
  'publish.approvals.from': { isWeaker: longer },
  'publish.approvals.to': { isWeaker: longer },
  'publish.codeOwners': { isWeaker: switchedOff },
  'oci.registry': { isWeaker: present },
  'oci.packages': { isWeaker: longer },
  'oci.rendered': { isWeaker: switchedOn },
  'oci.credentials': { isWeaker: present },
  'updates.follow': FREE,
  // Where updates merge automatically, other revisions would merge that no person looks at.
  'updates.followUnattended': {
    field: 'updates.follow',
    isWeaker: (_before, after) => after !== 'none',
  },
  'updates.policy': FREE,
  'updates.onWithdrawn': FREE,
  'updates.schedule': FREE,
  'updates.timeZone': FREE,
  'updates.minimumAge': { isWeaker: smaller },
  'updates.soak': { isWeaker: smaller },
  'updates.automerge': { isWeaker: oneOf('none', 'patch', 'minor', 'all') },
  'updates.automergeFrom': { isWeaker: longer },
  'updates.direct': { field: 'updates.pullRequest: false', isWeaker: switchedOn },
  'updates.maxOpen': FREE,
  'updates.groups': { field: 'updates.group', isWeaker: never },
  'updates.priority': FREE,
  'updates.labels': FREE,
  'health.statuses': { isWeaker: always },
  'health.deployments': { isWeaker: always },
  'upstreams.allow': { isWeaker: longer },
  'upstreams.credentials': { field: 'upstreams.allow (credentials)', isWeaker: longer },
  'upstreams.map': { isWeaker: always },
  'sharing.to': { isWeaker: longer },
  'sharing.from': { isWeaker: longer },
  'sharing.within': { isWeaker: switchedOn },
  // Whom it no longer obeys holds its updates back no more.
  controlledBy: { isWeaker: always },
  'inventory.directory': { isWeaker: always },
  dashboard: FREE,
  'organization.dashboard': FREE,
  'organization.listed': { isWeaker: switchedOn },
  exemptions: { isWeaker: never, namedBy: 'name' },
  'exemptions[]': { isWeaker: present },
  'exemptions[].guardrails': { isWeaker: longer },
  'exemptions[].packages': { isWeaker: longer },
  'exemptions[].resources': { isWeaker: broader },
  'exemptions[].until': { isWeaker: (before, after) => String(after) > String(before) },
  'exemptions[].owner': FREE,
  'exemptions[].why': FREE,
  'exemptions[].file': FREE,
  // A file that no one had is an addition.
  codeOwners: { field: 'CODEOWNERS', isWeaker: (before) => listOf(before).length > 0 },
  // Channels with a promotion, and what a revision has to pass before it joins them.
  channels: { isWeaker: never, namedBy: 'name' },
  'channels[]': { isWeaker: missing },
  'channels[].from': { isWeaker: always },
  'channels[].soak': { isWeaker: smaller },
  'channels[].require': { isWeaker: shorter },
  'channels[].healthy': { isWeaker: smaller },
  'channels[].approvers': { isWeaker: shorter },
  'channels[].promotion': { isWeaker: oneOf(undefined, 'open', 'merge') },
  'channels[].auto': { isWeaker: present },
  rollouts: { isWeaker: never, namedBy: 'name' },
  'rollouts[]': { isWeaker: missing },
  'rollouts[].upstreams': { isWeaker: shorter },
  // Updates of its packages go by the waves of another.
  'rollouts[].taken by': { isWeaker: present },
  'rollouts[].owners': FREE,
  'rollouts[].waves': { isWeaker: never, namedBy: 'name' },
  // Other waves bring a revision to some clusters earlier, or let fewer of them prove it.
  'rollouts[].waves (order)': { isWeaker: always },
  'rollouts[].waves[]': { isWeaker: always },
  'rollouts[].waves[].select': { isWeaker: always },
  'rollouts[].waves[].size': { isWeaker: always },
  'rollouts[].waves[].pauseAfter': { isWeaker: smaller },
  'rollouts[].waves[].gate.published': { isWeaker: always },
  'rollouts[].waves[].gate.statuses': { isWeaker: shorter },
  'rollouts[].waves[].gate.deployments': { isWeaker: shorter },
  'rollouts[].waves[].gate.timeout': { isWeaker: missing },
  'rollouts[].waves[].gate.onFailure': { isWeaker: always },
  'rollouts[].waves[].gate.manual': { isWeaker: switchedOff },
  'rollouts[].waves[].gate.urls': { isWeaker: shorter },
  'rollouts[].waves[].gate.stopAt': { isWeaker: present },
  'rollouts[].mistake': FREE,
  'rollouts[].isEverywhere': FREE,
};
