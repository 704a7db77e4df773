import { minimatch } from 'minimatch';

import { permits, roleAtLeast } from './access.ts';
import type { ForgeContext } from './context.ts';
import type { GitRepository } from './git-repository.ts';
import type { ProtectionRecord, RepositoryRecord, RulesetRecord } from './records.ts';
import type { RefRefusal, RefUpdate, RequiredCheck } from './refs.ts';
import { SIGNATURES_DEMANDED, unverified } from './signatures.ts';
import type { Actor } from './viewer.ts';
import { newWorkflowFile, WORKFLOWS, workflowRefusal } from './workflow-permission.ts';

/** A condition that needs the new commits, so that a push can only be judged once they are there. */
type Condition = 'fast-forward' | 'linear' | 'workflows' | 'signatures';

/** Why a ref may not move; `unless` says what would make it right. */
export interface Objection {
  readonly ref: string;
  readonly unless: Condition | null;
  readonly reason: string;
  readonly explanation: string;
  readonly heading: string;
}

const PROTECTED = 'protected branch hook declined';
/** The reason of all that rulesets object. */
export const RULES = 'push declined due to repository rule violations';

/** All that protection, rulesets and the App's permissions have against these updates, before looking at commits. */
export function objections({
  context,
  repository,
  actor,
  updates,
  missingChecks,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly actor: Actor;
  readonly updates: readonly Pick<RefUpdate, 'ref' | 'before' | 'after'>[];
  readonly missingChecks: (sha: string, required: readonly RequiredCheck[]) => readonly string[];
}): Objection[] {
  return updates.flatMap((update) => [
    ...protectionObjections({ context, repository, actor, update, missingChecks }),
    ...rulesetObjections({ context, repository, actor, update, missingChecks }),
    ...workflowObjections(actor, update),
  ]);
}

/** The objections that stand, as refusals, one per ref. */
export async function refusalsOf(
  context: ForgeContext,
  git: GitRepository,
  updates: readonly RefUpdate[],
  found: readonly Objection[],
): Promise<RefRefusal[]> {
  const standing: Objection[] = [];
  for (const objection of found) {
    const update = updates.find((one) => one.ref === objection.ref);
    if (update === undefined || !(await isMet(context, git, update, objection))) standing.push(objection);
  }
  return [...Map.groupBy(standing, (objection) => objection.ref)].map(([ref, group]) => ({
    ref,
    reason: group[0]?.reason ?? PROTECTED,
    explanation: [...new Set(group.flatMap((one) => [one.heading, one.explanation]))].filter(
      (line) => line !== '',
    ),
  }));
}

async function isMet(
  context: ForgeContext,
  git: GitRepository,
  update: RefUpdate,
  objection: Objection,
): Promise<boolean> {
  const condition = objection.unless;
  if (condition === 'fast-forward') return !update.forced;
  if (condition === null || update.after === null) return condition !== null;
  if (condition === 'workflows') return (await newWorkflowFile(git, update.after)) === undefined;
  if (condition === 'signatures') {
    const news = await git.run(['rev-list', update.after, '--not', signedBefore(objection, update.before)]);
    const shas = news.stdout
      .toString()
      .split('\n')
      .filter((line) => line !== '');
    return (await unverified(context, git, shas)) === undefined;
  }
  const output = await git.run([
    'rev-list',
    '--min-parents=2',
    '--max-count=1',
    update.after,
    '--not',
    '--all',
  ]);
  return output.code === 0 && output.stdout.length === 0;
}

/**
 * Below which commits signatures are not looked at: protection judges all that the branch has not, also what another branch
 * has already (etalab/admin_api_entreprise#1172); rulesets what the repository has not.
 */
export function signedBefore({ reason }: Objection, before: string | null | undefined): string {
  return reason === RULES ? '--all' : (before ?? '--all');
}

/** The classic protection of a branch: the exact name first, then patterns. */
export function protectionOf(
  context: ForgeContext,
  repository: RepositoryRecord,
  branch: string,
): ProtectionRecord | undefined {
  return (
    context.records.protections.first('branch', [repository.id, branch]) ??
    context.records.protections
      .find('repository', [repository.id])
      .find((protection) => minimatch(branch, protection.branch, { dot: true }))
  );
}

/** Active rulesets that apply to a ref (full name). */
export function rulesetsFor(
  context: ForgeContext,
  repository: RepositoryRecord,
  ref: string,
): RulesetRecord[] {
  const target = ref.startsWith('refs/heads/') ? 'branch' : ref.startsWith('refs/tags/') ? 'tag' : undefined;
  const matches = (pattern: string): boolean =>
    pattern === '~ALL' ||
    (pattern === '~DEFAULT_BRANCH' && ref === `refs/heads/${repository.defaultBranch}`) ||
    minimatch(ref, pattern, { dot: true }) ||
    minimatch(ref, `refs/${target === 'tag' ? 'tags' : 'heads'}/${pattern}`, { dot: true });
  return context.records.rulesets
    .find('repository', [repository.id])
    .filter(
      (ruleset) =>
        ruleset.enforcement === 'active' &&
        ruleset.target === target &&
        ruleset.include.some(matches) &&
        !ruleset.exclude.some(matches),
    );
}

type Update = Pick<RefUpdate, 'ref' | 'before' | 'after'>;
type MissingChecks = (sha: string, required: readonly RequiredCheck[]) => readonly string[];

function protectionObjections({
  context,
  repository,
  actor,
  update,
  missingChecks,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly actor: Actor;
  readonly update: Update;
  readonly missingChecks: MissingChecks;
}): Objection[] {
  if (!update.ref.startsWith('refs/heads/')) return [];
  const protection = protectionOf(context, repository, update.ref.slice('refs/heads/'.length));
  if (protection === undefined || (update.before === null && !protection.blockCreations)) return [];
  const heading = `GH006: Protected branch update failed for ${update.ref}.`;
  const object = (explanation: string, unless: Condition | null = null): Objection[] => [
    { ref: update.ref, unless, reason: PROTECTED, explanation, heading },
  ];
  if (update.after === null)
    return protection.allowDeletions ? [] : object('Cannot delete a protected branch');
  const fastForward = protection.allowForcePushes
    ? []
    : object('Cannot force-push to a protected branch', 'fast-forward');
  const admin = actor.kind === 'user' && roleAtLeast(context.access.roleOf(actor.user, repository), 'admin');
  if (admin && !protection.enforceAdmins) return fastForward;
  const missing = missingChecks(update.after, protection.requiredStatusChecks?.checks ?? []);
  return [
    ...fastForward,
    ...(protection.lockBranch ? object('Cannot change this locked branch') : []),
    ...(mayPush(context, repository, protection, actor)
      ? []
      : object("You're not authorized to push to this branch.")),
    ...(protection.requiredReviews === null ? [] : object('Changes must be made through a pull request.')),
    ...missing.flatMap((name) => object(`Required status check "${name}" is expected.`)),
    ...(protection.signatures === true ? object(SIGNATURES_DEMANDED, 'signatures') : []),
    ...(protection.linearHistory ? object('This branch must not contain merge commits.', 'linear') : []),
  ];
}

function mayPush(
  context: ForgeContext,
  repository: RepositoryRecord,
  protection: ProtectionRecord,
  actor: Actor,
): boolean {
  const list = protection.restrictions;
  if (list === null) return true;
  if (actor.kind === 'installation') return list.apps.includes(context.app.slug);
  return (
    list.users.some((login) => login.toLowerCase() === actor.user.login.toLowerCase()) ||
    list.teams.some((slug) => {
      const team = context.records.teams.first('slug', [repository.ownerId, slug]);
      return (
        team !== undefined &&
        context.records.teamMembers.first('pair', [team.id, actor.user.id]) !== undefined
      );
    })
  );
}

function rulesetObjections({
  context,
  repository,
  actor,
  update,
  missingChecks,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly actor: Actor;
  readonly update: Update;
  readonly missingChecks: MissingChecks;
}): Objection[] {
  const heading = `GH013: Repository rule violations found for ${update.ref}.`;
  return rulesetsFor(context, repository, update.ref)
    .filter((ruleset) => !bypasses({ context, repository, ruleset, actor }))
    .flatMap((ruleset) => ruleset.rules)
    .flatMap((rule): Objection[] => {
      const object = (explanation: string, unless: Condition | null = null): Objection[] => [
        { ref: update.ref, unless, reason: RULES, explanation: `- ${explanation}`, heading },
      ];
      const { before, after } = update;
      if (after !== null && rule.type === 'required_signatures') {
        return object(SIGNATURES_DEMANDED, 'signatures');
      }
      if (after === null) return rule.type === 'deletion' ? object('Cannot delete this protected ref') : [];
      if (before === null) {
        return rule.type === 'creation' ? object('Cannot create ref due to creations being restricted.') : [];
      }
      if (rule.type === 'update') return object('Cannot update this protected ref.');
      if (rule.type === 'non_fast_forward') return object('Cannot force-push to this branch', 'fast-forward');
      if (rule.type === 'required_linear_history')
        return object('This branch must not contain merge commits.', 'linear');
      if (rule.type === 'pull_request') return object('Changes must be made through a pull request.');
      if (rule.type !== 'required_status_checks') return [];
      const missing = missingChecks(after, checksOfRule(rule.parameters));
      return missing.flatMap((name) => object(`Required status check "${name}" is expected.`));
    });
}

/** `required_status_checks` of a ruleset's rule. */
export function checksOfRule(parameters: Readonly<Record<string, unknown>> | undefined): RequiredCheck[] {
  const list = parameters?.['required_status_checks'];
  return (Array.isArray(list) ? (list as Record<string, unknown>[]) : []).map((check) => ({
    context: typeof check['context'] === 'string' ? check['context'] : '',
    appId: typeof check['integration_id'] === 'number' ? check['integration_id'] : null,
  }));
}

/** Whether one of the ruleset's bypass actors is this one. */
export function bypasses({
  context,
  repository,
  ruleset,
  actor,
  pullRequest = false,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly ruleset: RulesetRecord;
  readonly actor: Actor;
  readonly pullRequest?: boolean | undefined;
}): boolean {
  // GitHub's numbers for repository roles.
  const roles: Record<number, 'maintain' | 'write' | 'admin'> = { 2: 'maintain', 4: 'write', 5: 'admin' };
  return ruleset.bypassActors.some(({ actorId, actorType, bypassMode }) => {
    if (bypassMode === 'pull_request' && !pullRequest) return false;
    if (actor.kind === 'installation') return actorType === 'Integration' && actorId === actor.appId;
    if (actorType === 'OrganizationAdmin') return context.access.isOrgAdmin(repository.ownerId, actor);
    if (actorType === 'Team') {
      return context.records.teamMembers.first('pair', [actorId ?? 0, actor.user.id]) !== undefined;
    }
    const role = actorType === 'RepositoryRole' ? roles[actorId ?? 0] : undefined;
    return role !== undefined && roleAtLeast(context.access.roleOf(actor.user, repository), role);
  });
}

function workflowObjections(actor: Actor, update: Update): Objection[] {
  if (
    actor.kind !== 'installation' ||
    update.after === null ||
    permits(actor.permissions, 'workflows:write')
  ) {
    return [];
  }
  // Which file it is can be told only once the commits are there.
  const reason = workflowRefusal(WORKFLOWS);
  return [{ ref: update.ref, unless: 'workflows', reason, explanation: '', heading: '' }];
}
