/** Pure: from what rendering found to the check runs that people see. */

import type { RepositoryConfig } from '../../config/repository-config.ts';
import { conflictStory } from '../../package/merge/conflict.ts';
import type { OutsideFinding } from '../../package/tool-files/tool-files.ts';
import { shortDigest } from '../../revision/digest.ts';
import { fileIn } from '../../revision/package-path.ts';
import { shorten } from '../../text/cut-text.ts';
import { joined } from '../../text/joined.ts';
import { table } from '../../text/markdown.ts';
import { AGGREGATE_CHECK, APPROVAL_CHECK, CONFLICTS_CHECK, WAIVED } from '../check-names.ts';
import { approvalCheck, approvalOf } from '../check/approval-check.ts';
import { channelsCheck } from '../check/channels-check.ts';
import { type CheckContent } from '../check/check-content.ts';
import { configCheck, type ProposedConfig } from '../check/config-check.ts';
import { deletionCheck } from '../check/deletion-check.ts';
import { graphCheck } from '../check/graph-check.ts';
import { guardrailChecks } from '../check/guardrail-checks.ts';
import { packageCheck, type PackageFacts } from '../check/package-check.ts';
import { powerCheck, type PackagePower, type PowerApproval } from '../check/power-check.ts';
import { renderCheck } from '../check/render-check.ts';
import { sourcesCheck, type PackageSourceFindings } from '../check/sources-check.ts';
import type { CheckAction, CheckInput } from '../forge/checks.ts';
import type { Lost, OpenConflict } from '../merge/open-conflicts.ts';
import type { ProposedChannels } from '../promotion/proposed-channels.ts';
import type { RenderCommit } from '../render/render-commit.ts';
import type { ProposalApproval } from '../review/proposal-approval.ts';
import type { Hold } from '../rollout/hold.ts';
import { code, conflictTable, shownValue, foreignSentence } from '../text/markdown-blocks.ts';

export interface ProposalFacts extends PackageFacts {
  readonly config: RepositoryConfig;
  readonly headSha: string;
  readonly digest: string;
  /** Of the head and the base branch: what a package is made of. */
  readonly mergeBase: string;
  /** Downstream packages, as Markdown, that are made from what is removed. */
  readonly usedBy: readonly string[];
  /** Files with resources that would belong to no package any more. */
  readonly leftBehind: readonly string[];
  readonly commit: RenderCommit;
  /** Lines outside of packages by which tools read other content in them. */
  readonly outside?: readonly OutsideFinding[];
  readonly conflicts: readonly OpenConflict[];
  /** How many there were, settled ones included. */
  readonly listed?: number;
  /** Why nobody knows what is open; false where it is known. */
  readonly lost: Lost | false;
  /** Packages that the base branch changed after the proposal left it, and why Portico did not bring that. */
  readonly behind: { readonly packages: readonly string[]; readonly reason: string };
  /** Packages whose failing guardrails somebody who may approve has waived, and who. */
  readonly waived?: ReadonlyMap<string, string>;
  /** Null where the proposal does not change the configuration. */
  readonly proposedConfig?: ProposedConfig | null;
  /** Absent where neither the proposal nor its base has channel files. */
  readonly channels?: ProposedChannels | undefined;
  /** Of packages that take content from elsewhere. */
  readonly sources?: readonly PackageSourceFindings[];
  /** What packages may do more or less than before, and who of those that must has approved it. */
  readonly powers?: readonly PackagePower[];
  readonly powerApproval?: PowerApproval | undefined;
  /** What is missing of the approvals of this content. */
  readonly approval: ProposalApproval;
  /** Where it is an update that a rollout holds. */
  readonly hold?: Hold;
  /** Checks whose findings a commit of ours can mend. */
  readonly fixable?: ReadonlySet<string>;
}

const FIX: CheckAction = {
  label: 'Fix',
  description: 'Commit fixes for these findings',
  identifier: 'fix',
};

/** The checks of a proposal in the order of the aggregate, which sums them up. One that has nothing to be about is not there. */
const CHECKS: readonly ((facts: ProposalFacts) => CheckContent | readonly CheckContent[] | undefined)[] = [
  packageCheck,
  ({ rendered, commit, outside }) => renderCheck(rendered, commit, outside),
  conflictsCheck,
  ({ removed, usedBy, leftBehind }) =>
    removed.length === 0 ? undefined : deletionCheck(removed, usedBy, leftBehind),
  ({ powers = [], powerApproval }) => powerCheck(powers, powerApproval),
  ({ proposedConfig = null }) => (proposedConfig === null ? undefined : configCheck(proposedConfig)),
  ({ channels }) => channels && channelsCheck(channels),
  ({ channels }) => channels?.moves && graphCheck(channels.moves),
  ({ sources = [] }) => sourcesCheck(sources),
  waivedGuardrails,
  ({ approval }) => approvalCheck(approval.state),
];

/** All checks of a proposal, the aggregate last: it is written when the others stand. */
export function proposalChecks(facts: ProposalFacts): CheckInput[] {
  const drafts = CHECKS.flatMap((check) => check(facts) ?? []);
  return [...drafts, aggregate(drafts, facts)].map((draft) => ({
    ...draft,
    ...(facts.fixable?.has(draft.name) === true && { actions: [FIX] }),
    headSha: facts.headSha,
    externalId: externalIdOf(draft, facts),
    status: 'completed',
  }));
}

/** True where the aggregate says that everything is there. */
export function isGreen(checks: readonly CheckInput[]): boolean {
  return checks.some(({ name, conclusion }) => name === AGGREGATE_CHECK && conclusion === 'success');
}

function externalIdOf({ name }: CheckContent, { digest, mergeBase, approval }: ProposalFacts): string {
  if (name === AGGREGATE_CHECK) return digest;
  if (name !== APPROVAL_CHECK) return shortDigest(digest);
  return approval.consent ?? approvalOf(digest, mergeBase, approval.accepted);
}

function conflictsCheck({
  conflicts,
  listed = 0,
  lost,
  behind: { packages: behind, reason },
}: ProposalFacts): CheckContent {
  if (behind.length > 0) {
    return {
      name: CONFLICTS_CHECK,
      conclusion: 'failure',
      title: `The base branch changed ${behind.join(', ')}`,
      summary: `The base branch also changed ${behind.map(code).join(', ')} after this branch was created. ${reason} Update the branch (press "Update branch", or merge the base into it), so that exactly what was rendered and checked is merged.`,
    };
  }
  if (lost !== false) {
    return {
      name: CONFLICTS_CHECK,
      conclusion: 'failure',
      title: lost.title,
      summary: `Portico cannot tell which conflicts are settled: ${lost.message}. ${lost.hint}`,
    };
  }
  return {
    name: CONFLICTS_CHECK,
    // A person has to choose; nothing has gone wrong.
    conclusion: conflicts.length > 0 ? 'action_required' : 'success',
    title: conflictsTitle(conflicts),
    summary:
      conflicts.length > 0
        ? `Upstream (or the registered branch, if it moved) and this branch changed the same fields or lines. For now, the branch has the value in the column "taken". Settle each conflict with \`/portico resolve <number> upstream\` or \`local\`, all with \`/portico resolve all …\`, or with a commit that changes the field or lines.\n\n${conflictTable(conflicts)}`
        : listed > 0
          ? `${listed === 1 ? 'The only conflict is' : `All ${listed} conflicts are`} settled.`
          : 'No conflicting changes.',
    annotations: conflicts.map((conflict) => ({
      path: fileIn(conflict.directory, conflict.file),
      startLine: conflict.line ?? 1,
      endLine: conflict.line ?? 1,
      level: 'failure',
      title: conflict.path === '' ? conflict.file : conflict.path,
      message: `${thingOf(conflict)} ${conflictStory(conflict)}. Upstream: ${shownValue(conflict.upstream, 120)}. Local: ${shownValue(conflict.local, 120)}. Taken: ${conflict.taken}.`,
    })),
  };
}

function thingOf({ resource, path, part }: OpenConflict): string {
  if (path !== '') return 'This field was';
  if (part === true) return 'These lines were';
  return resource === null ? 'This file was' : 'This resource was';
}

/** The title names the first, and how many there are beside it. */
function conflictsTitle([first, ...others]: readonly OpenConflict[]): string {
  if (first === undefined) return 'No open conflict';
  const { resource, path, file } = first;
  const where = resource === null ? file : `${resource.kind}/${resource.name}`;
  const more = others.length > 0 ? `, and ${others.length} more` : '';
  return `Open: ${joined([where, path], ' ')}${more}`;
}

/** A guardrail that fails for waived packages alone stands in nobody's way; it goes on saying what it found. */
function waivedGuardrails({ config, rendered, waived }: ProposalFacts): CheckContent[] {
  const all = guardrailChecks(config, rendered);
  if (waived === undefined || waived.size === 0) return all;
  const others = guardrailChecks(
    config,
    rendered.filter((one) => !waived.has(one.package.path)),
  );
  const by = [...new Set(waived.values())].map(code).join(', ');
  return all.map((draft, at) =>
    draft.conclusion !== 'failure' || others[at]?.conclusion === 'failure'
      ? draft
      : {
          ...draft,
          conclusion: 'neutral',
          title: `${draft.title}${WAIVED}`,
          summary: `**Waived** by ${by}, who may approve: this restores an older revision with \`--anyway\`. Any other push ends the waiver.\n\n${draft.summary}`,
        },
  );
}

/**
 * The one to require: it fails where something has to be mended, waits (`action_required`) where only a person's word is
 * missing or a rollout holds it, and is green with that alone, so that the forge's own ways of merging keep the rule.
 */
function aggregate(drafts: readonly CheckContent[], { digest, hold }: ProposalFacts): CheckContent {
  const failing = drafts.filter(({ conclusion }) => conclusion === 'failure');
  const waiting = drafts.filter(({ conclusion }) => conclusion === 'action_required');
  return {
    name: AGGREGATE_CHECK,
    conclusion:
      failing.length > 0
        ? 'failure'
        : waiting.length > 0 || hold !== undefined
          ? 'action_required'
          : 'success',
    title: aggregateTitle([...failing, ...waiting], hold),
    summary: [
      ...(hold === undefined ? [] : [hold.text, hold.remedy]),
      table(
        ['check', 'result', ''],
        drafts.map(({ name, conclusion, title }) => [code(name), conclusion, foreignSentence(title)]),
      ),
      `Content digest ${code(shortDigest(digest))}: approvals are for this content.`,
    ].join('\n\n'),
  };
}

function aggregateTitle(open: readonly CheckContent[], hold: Hold | undefined): string {
  const [first, ...others] = open;
  if (hold !== undefined) {
    return shorten([hold.title, ...open.map(({ name, title }) => `${name}: ${title}`)].join('; '), 250);
  }
  if (first === undefined) return 'All required checks pass';
  // What only waits for approvals says which, and nothing else.
  if (others.length === 0 && first.name === APPROVAL_CHECK) return first.title;
  return shorten(open.map(({ name, title }) => `${name}: ${title}`).join('; '), 250);
}
