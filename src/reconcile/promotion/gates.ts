/** What has to be so before a revision joins a channel: the base branch says what, and the forge and git say whether it is. */

import type { PromotionDocument } from '../../channels/package-channels.ts';
import { soakSeconds } from '../../channels/soak.ts';
import { holds, nameOf } from '../../command/authorize.ts';
import { parseGrant } from '../../config/access.ts';
import type { Grant, RepositoryConfig } from '../../config/repository-config.ts';
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import { CHANNELS_CHECK, GRAPH_CHECK, PUBLICATION_CHECK, REGISTRY_CHECK } from '../check-names.ts';
import type { PromotionGate } from '../check/channels-check.ts';
import { visibleFollowers } from '../downstream/downstream-progress.ts';
import type { Ports, RepositoryAccess, RepositoryWork } from '../ports.ts';
import { loadCaller } from '../repository/caller.ts';
import { publishedAt, tagOf, type RevisionRefs } from '../repository/package-revisions.ts';
import { FINE } from '../update/automerge-checks.ts';
import { rolloutGate, type AskedHealth, type GateAnswer } from './rollout-gate.ts';

/** A revision that a proposal puts into a channel. */
export interface Joining {
  /** From the top of the repository, '' is the top. */
  readonly directory: RepositoryDirectory;
  readonly channel: string;
  readonly revision: string;
  readonly line: number;
  readonly promotion: PromotionDocument;
}

export interface GateFacts {
  readonly config: RepositoryConfig;
  readonly refs: RevisionRefs;
  /** Login of the proposal's author; whose approvals of it count. */
  readonly author: string;
  readonly approvedBy: readonly string[];
  /** What was asked in this look, for whichever revision: nobody is asked twice. */
  readonly asked: AskedGates;
}

export interface AskedGates {
  readonly health: AskedHealth;
  /** Names of approvers → what is known of their approvals. */
  readonly approvals: Map<string, Promise<GateAnswer>>;
}

/** Nothing was asked yet. */
export function nothingAsked(): AskedGates {
  return { health: new Map(), approvals: new Map() };
}

/** A gate, and when to ask again where time alone is missing. */
export interface AskedGate extends PromotionGate {
  readonly due?: Date;
}

/** Asks all gates of one revision; what cannot be asked has not passed. */
export async function promotionGates(
  { ports, access, signal }: RepositoryWork,
  joining: Joining,
  facts: GateFacts,
): Promise<readonly AskedGate[]> {
  const { promotion, directory, revision, channel, line } = joining;
  const tag = tagOf(facts.refs, directory, revision);
  // A revision without a tag breaks a rule, which says so.
  if (tag === undefined) return [];
  const gate = (state: PromotionGate['state'], what: string, due?: Date): AskedGate => ({
    channel,
    revision,
    line,
    state,
    what,
    ...(due && { due }),
  });
  const found: AskedGate[] = [];
  if (promotion.soak !== undefined) {
    const since = await publishedAt(access.git, tag, signal);
    const due = new Date(since + soakSeconds(promotion.soak) * 1_000);
    const passed = due.getTime() <= ports.now().getTime();
    found.push(
      passed
        ? gate('passed', `published for ${promotion.soak}`)
        : gate('waiting', `it soaks for ${promotion.soak}, until ${due.toISOString()}`, due),
    );
  }
  for (const required of new Set(promotion.require)) {
    if (required === 'checks') found.push(gate(...(await checksGate(ports, access, tag.commit, signal))));
    else if (required === 'rollout') {
      const asked = { followers: followersAt(ports, access, joining), percent: promotion.healthy };
      found.push(gate(...(await rolloutGate(ports, asked, facts.asked.health, signal))));
    } else found.push(gate('failing', `"${required}" is unknown: use checks or rollout`));
  }
  if (promotion.approvers.length > 0) {
    found.push(gate(...(await approversGate(access, promotion.approvers, facts, signal))));
  }
  return found;
}

/** What Portico says of the registered branch as it was then tells nothing of the revision. */
const OF_THE_BRANCH: readonly string[] = [CHANNELS_CHECK, GRAPH_CHECK, PUBLICATION_CHECK, REGISTRY_CHECK];

/** What others, and Portico, check of the published commit; what says nothing yet has not passed. */
async function checksGate(
  { app }: Pick<Ports, 'app'>,
  { forge }: RepositoryAccess,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<GateAnswer> {
  const runs = (await forge.listChecks(commit, signal)).filter(
    ({ name, appId }) => appId !== app.id || !OF_THE_BRANCH.includes(name),
  );
  const { statuses } = await forge.combinedStatus(commit, signal);
  const red = [
    ...runs
      .filter(({ status, conclusion }) => status === 'completed' && !FINE.includes(conclusion))
      .map(({ name }) => name),
    ...statuses.filter(({ state }) => state === 'failure' || state === 'error').map(({ context }) => context),
  ];
  if (red.length > 0) return ['failing', `checks of its commit failed: ${red.slice(0, 5).join(', ')}`];
  const open = [
    ...runs.filter(({ status }) => status !== 'completed').map(({ name }) => name),
    ...statuses.filter(({ state }) => state !== 'success').map(({ context }) => context),
  ];
  if (open.length > 0)
    return ['waiting', `checks of its commit are still running: ${open.slice(0, 5).join(', ')}`];
  if (runs.length + statuses.length === 0) return ['waiting', 'no check has reported on its commit yet'];
  return ['passed', 'the checks of its commit hold'];
}

/** Those that follow the channel it comes from and are at the revision. */
function followersAt(
  { catalog }: Pick<Ports, 'catalog'>,
  { ref }: RepositoryAccess,
  { directory, promotion, revision }: Joining,
): Parameters<typeof rolloutGate>[1]['followers'] {
  const upstream = catalog.get(ref.id);
  if (upstream === undefined) return [];
  return visibleFollowers(catalog, upstream, directory).visible.filter(
    ({ follow, at }) => follow?.kind === 'channel' && follow.channel === promotion.from && at === revision,
  );
}

/** Who has the last word on a channel where its file does not say who. */
const KEEPER: readonly string[] = ['maintain'];

/**
 * The gate of a revision that a maintainer has to approve, even if the channel asks for no approval.
 * `why` is such as `the channel file cannot be read`.
 */
export async function keeperGate(
  access: RepositoryAccess,
  { channel, revision, line, why }: Pick<Joining, 'channel' | 'revision' | 'line'> & { readonly why: string },
  facts: GateFacts,
  signal?: AbortSignal,
): Promise<PromotionGate> {
  const [state, what] = await approversGate(access, KEEPER, facts, signal);
  return { channel, revision, line, state, what: `${why}: ${what}` };
}

async function approversGate(
  access: RepositoryAccess,
  named: readonly string[],
  facts: GateFacts,
  signal: AbortSignal | undefined,
): Promise<GateAnswer> {
  const key = JSON.stringify(named);
  const answer = facts.asked.approvals.get(key) ?? askApprovers(access, named, facts, signal);
  facts.asked.approvals.set(key, answer);
  return answer;
}

/** Of each of those that are named somebody must have approved this content; `sre` is a team of the repository's owner. */
async function askApprovers(
  access: RepositoryAccess,
  named: readonly string[],
  { config, approvedBy, author }: GateFacts,
  signal: AbortSignal | undefined,
): Promise<GateAnswer> {
  const grants: Grant[] = [];
  for (const text of named) {
    const grant = parseGrant(text);
    if (typeof grant !== 'string') grants.push(grant);
    else if (/^[\w.-]+$/.test(text)) grants.push({ kind: 'team', team: `${access.ref.owner}/${text}` });
    else return ['failing', `"${text}" is unknown: use a role, a team or @login`];
  }
  // Teams are asked for where the configuration names them.
  const asked = { ...config, publish: { ...config.publish, requireApprovalBy: grants } };
  const missing = new Set(grants);
  for (const login of approvedBy) {
    const isAuthor = login.toLowerCase() === author.toLowerCase();
    const caller = await loadCaller(access, asked, { login, isAuthor, isBot: false }, signal);
    for (const grant of missing) if (holds(grant, caller)) missing.delete(grant);
  }
  if (missing.size === 0) return ['passed', 'all required approvers have approved it'];
  return [
    'waiting',
    `an approval of this content is missing by ${[...missing].map(nameOf).join(' and by ')}`,
  ];
}
