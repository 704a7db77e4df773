/** The button "Fix" of a check: its fixes as a commit on the proposal's branch. */

import type { Account } from '../../command/account.ts';
import { atLeast, parseRole } from '../../config/role.ts';
import type { FileChanges } from '../git-port.ts';
import type { JobData } from '../job.ts';
import type { RepositoryAccess, Ports, RepositoryWork } from '../ports.ts';
import { loadGuardrails } from '../render/guardrails.ts';
import { createRenderCache, renderProposal } from '../render/proposal-render.ts';
import { answered } from '../repository/caller.ts';
import { loadProposal, type ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { pushOnHead, type HeadCommit } from '../repository/push-commit.ts';
import { pushRefusal } from '../repository/refused-push.ts';
import { readCommitRecord, sealedCommitMessage } from '../seal/commit-seal.ts';
import { code } from '../text/markdown-blocks.ts';
import { loadFixes } from './fixes.ts';

/** A button that somebody pressed. */
export type FixReconciler = (target: JobData<'fix'>, signal?: AbortSignal) => Promise<void>;

/**
 * Commits what mends the findings of one check. Only for people who may write, only while the head is the commit that
 * the button stood at, and by compare-and-swap. Pressed twice, it commits once. A refusal is told in one comment.
 */
export function createFixReconciler(ports: Ports): FixReconciler {
  return async (target, signal) => {
    const access = await ports.open(target.repository, signal);
    const loaded = await loadProposal(access, target.number, {}, signal);
    if (loaded.kind === 'none' || loaded.snapshot.pull.state === 'closed') return;
    const refusal = await fix({ ports, access, signal }, loaded.snapshot, target);
    if (refusal === null) return;
    const who = `${code(target.by)} pressed **Fix** at ${code(target.check)}`;
    await access.forge.upsertSticky(target.number, MARKER, `${who}: ${refusal}`, signal);
  };
}

const MARKER = '<!-- portico:fix -->';

/** Does it, or says in sentences why not. */
async function fix(
  { ports, access, signal }: RepositoryWork,
  snapshot: ProposalSnapshot,
  { check, headSha, by, byId }: JobData<'fix'>,
): Promise<string | null> {
  const { git, forge } = access;
  const { head, pull } = snapshot;
  const role = parseRole(await permission(forge, { login: by, id: byId }, signal));
  if (role === undefined || !atLeast(role, 'write')) {
    return 'this needs write access to the repository. Nothing was committed.';
  }
  if (!snapshot.writable) {
    return 'the proposal comes from a fork, where Portico may not write. Apply the suggestions or the patch.';
  }
  if (head.oid !== headSha) {
    const record = readCommitRecord(head, ports.seals);
    if (record?.kind === 'fix' && record.check === check && head.parents[0] === headSha) return null;
    return `the branch is now at ${code(head.oid.slice(0, 7))}, and the button belonged to ${code(headSha.slice(0, 7))}. Press the button of the new check.`;
  }
  const guardrails = await loadGuardrails({
    git,
    config: snapshot.config,
    base: snapshot.base,
    now: ports.now(),
    signal,
  });
  const rendered = await renderProposal({
    ports,
    access,
    snapshot,
    guardrails,
    cache: createRenderCache(),
    signal,
  });
  const rendersTo = { state: 'rendered', head, pushed: false } as const;
  const all = await loadFixes({
    ports,
    access,
    snapshot,
    rendered,
    guardrails,
    commit: rendersTo,
    memory: new Map(),
    signal,
  });
  const changes: FileChanges = new Map(
    all.filter((one) => one.check === check).flatMap((one) => [...one.changes]),
  );
  if (changes.size === 0) return 'there is nothing left to fix.';
  const commit: HeadCommit = {
    branch: pull.headRef,
    parents: [head.oid],
    changes,
    message: (place) =>
      sealedCommitMessage(`Fix what ${check} found`, { kind: 'fix', check, by, byId }, place, ports.seals),
  };
  const answer = await pushOnHead(ports, git, commit, signal);
  if (answer.kind === 'pushed') return null;
  const { message, hint } = pushRefusal(pull.headRef, answer.rejected);
  return `${message.charAt(0).toLowerCase()}${message.slice(1)} ${hint}`;
}

/** Whatever keeps the forge from answering grants nothing; a limit is waited for. */
async function permission(
  forge: RepositoryAccess['forge'],
  { login, id }: Account,
  signal: AbortSignal | undefined,
): Promise<string> {
  const member = await answered(forge.member(login, signal));
  // The login may belong to another account by now.
  return member !== undefined && (id === undefined || member.id === id) ? member.role : 'none';
}
