import { roleAtLeast } from '../access.ts';
import { verdictOfCheck } from '../checks-of-commit.ts';
import type { MergeMethod, PullRecord, ReviewRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import { bypasses, checksOfRule, protectionOf, rulesetsFor } from '../gate.ts';
import type { RepositoryRecord, RuleRecord } from '../records.ts';
import type { RequiredCheck } from '../refs.ts';
import { issueOf } from '../shapes/pull.ts';
import type { Actor } from '../viewer.ts';

/** What a branch demands of a pull request, from protection and rulesets together. */
export interface Requirements {
  readonly approvals: number;
  /** Reviews are part of the rules, so that a demand for changes blocks. */
  readonly reviewed: boolean;
  readonly dismissStale: boolean;
  readonly checks: readonly RequiredCheck[];
  /** The head must contain the base's tip. */
  readonly strict: boolean;
  /** Merge methods allowed, null: as the repository allows. */
  readonly methods: readonly MergeMethod[] | null;
  readonly byRuleset: boolean;
  /** Who demands signatures of all commits. */
  readonly signatures: 'ruleset' | 'protection' | null;
}

/** The rules for a branch; with `by` only those that this actor cannot bypass. */
export function requirementsOf(
  context: ForgeContext,
  repository: RepositoryRecord,
  branch: string,
  by?: Actor,
): Requirements {
  const protection = protectionOf(context, repository, branch);
  const admin = by !== undefined && context.access.viewerRole(by, repository) === 'admin';
  const classic = protection !== undefined && (protection.enforceAdmins || !admin) ? protection : undefined;
  const rulesets = rulesetsFor(context, repository, `refs/heads/${branch}`).filter(
    (ruleset) =>
      by === undefined || !bypasses({ context, repository, ruleset, actor: by, pullRequest: true }),
  );
  const rules = rulesets.flatMap((ruleset) => ruleset.rules);
  const pullRules = parametersOf(rules, 'pull_request');
  const checkRules = parametersOf(rules, 'required_status_checks');
  const counts = pullRules.map((rule) => Number(rule['required_approving_review_count'] ?? 0));
  const linear =
    (classic?.linearHistory ?? false) || rules.some((rule) => rule.type === 'required_linear_history');
  const reviews = classic?.requiredReviews ?? null;
  return {
    approvals: Math.max(0, reviews?.count ?? 0, ...counts),
    reviewed: reviews !== null || pullRules.length > 0,
    dismissStale:
      (reviews?.dismissStale ?? false) ||
      pullRules.some((rule) => rule['dismiss_stale_reviews_on_push'] === true),
    checks: [...(classic?.requiredStatusChecks?.checks ?? []), ...checkRules.flatMap(checksOfRule)],
    strict:
      (classic?.requiredStatusChecks?.strict ?? false) ||
      checkRules.some((rule) => rule['strict_required_status_checks_policy'] === true),
    methods: linear ? ['squash', 'rebase'] : methodsOf(pullRules),
    byRuleset: classic === undefined && rulesets.length > 0,
    signatures: rules.some((rule) => rule.type === 'required_signatures')
      ? 'ruleset'
      : classic?.signatures === true
        ? 'protection'
        : null,
  };
}

/** The demands that a pull request does not meet yet, as GitHub says them; the test merge is not asked. */
export function unmet(
  context: ForgeContext,
  repository: RepositoryRecord,
  pull: PullRecord,
  requirements: Requirements,
): string[] {
  const problems: string[] = [];
  const { approved, changesRequested } = decisions(context, repository, pull);
  if (requirements.reviewed && changesRequested > 0) problems.push('Changes have been requested.');
  if (approved < requirements.approvals) {
    const plural = requirements.approvals === 1 ? 'review is' : 'reviews are';
    problems.push(
      `At least ${requirements.approvals} approving ${plural} required by reviewers with write access.`,
    );
  }
  for (const check of requirements.checks) {
    const verdict = verdictOfCheck(context, repository.id, pull.headSha, check);
    const words = { expected: 'is expected', pending: 'is pending', failure: 'is failing', success: '' }[
      verdict
    ];
    if (words !== '') problems.push(`Required status check "${check.context}" ${words}.`);
  }
  return problems;
}

/** How many people with write access approve, and how many demand changes, by their latest review. */
export function decisions(
  context: ForgeContext,
  repository: RepositoryRecord,
  pull: PullRecord,
): { readonly approved: number; readonly changesRequested: number } {
  const latest = new Map<number, ReviewRecord>();
  for (const review of collaborationStore(context.store).reviews.find('pull', [pull.id])) {
    if (review.state !== 'PENDING' && review.state !== 'COMMENTED') latest.set(review.userId, review);
  }
  const author = issueOf(context, pull).userId;
  const counted = [...latest.values()].filter(
    (review) => review.userId !== author && hasWrite(context, repository, review.userId),
  );
  return {
    approved: counted.filter((review) => review.state === 'APPROVED').length,
    changesRequested: counted.filter((review) => review.state === 'CHANGES_REQUESTED').length,
  };
}

function hasWrite(context: ForgeContext, repository: RepositoryRecord, userId: number): boolean {
  if (userId === context.app.botId) {
    return context.access.installationFor(repository)?.permissions['contents'] === 'write';
  }
  return roleAtLeast(context.access.roleOf(context.records.account(userId), repository), 'write');
}

type Parameters = Readonly<Record<string, unknown>>;

function parametersOf(rules: readonly RuleRecord[], type: string): Parameters[] {
  return rules.filter((rule) => rule.type === type).map((rule) => rule.parameters ?? {});
}

function methodsOf(rules: readonly Parameters[]): MergeMethod[] | null {
  const limited = rules.flatMap((rule) =>
    Array.isArray(rule['allowed_merge_methods']) ? [rule['allowed_merge_methods'] as MergeMethod[]] : [],
  );
  if (limited.length === 0) return null;
  return (['merge', 'squash', 'rebase'] as const).filter((method) =>
    limited.every((list) => list.includes(method)),
  );
}
