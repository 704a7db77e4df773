/**
 * A proposal of ours about channels that meets what was merged meanwhile: its changes are made anew on the registered branch, and
 * what no longer fits there is told. Where people committed on its branch, it is theirs to merge.
 */
import { changeTitle } from '../../channels/change-file.ts';
import { packageOfChannelFile } from '../../channels/judge-file.ts';
import { CHANNEL_BRANCHES } from '../../revision/ref-name.ts';
import type { Ports, RepositoryAccess } from '../ports.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { pushOnHead } from '../repository/push-commit.ts';
import { readCommitRecord, sealedCommitMessage, type ChannelsRecord } from '../seal/commit-seal.ts';
import { code, foreignSentence } from '../text/markdown-blocks.ts';
import {
  applyChanges,
  proposeBranch,
  recordsOn,
  type AppliedChanges,
  type ChannelBranch,
} from './channel-branch.ts';

const MARKER = '<!-- portico:channels -->';
/** Commits of one branch that are looked through. */
const MAX_COMMITS = 300;

/** True where the branch moved, or the pull request was closed: then everything about it is read again. */
export async function rebuildChannels(
  ports: Ports,
  access: RepositoryAccess,
  snapshot: ProposalSnapshot,
  signal?: AbortSignal,
): Promise<boolean> {
  const { pull, base, head, mergeBase, config, writable } = snapshot;
  if (!writable || pull.author !== ports.app.botLogin || !pull.headRef.startsWith(CHANNEL_BRANCHES))
    return false;
  if (mergeBase === base) return false;
  const { git, forge } = access;
  const { conflicts } = await git.mergeTrees(base, head.oid, {}, signal);
  if (!conflicts.some((file) => packageOfChannelFile(file) !== undefined)) return false;
  const log = await git.log({ from: base, to: head.oid }, { firstParent: true, limit: MAX_COMMITS }, signal);
  if (log.some((commit) => readCommitRecord(commit, ports.seals)?.kind !== 'channels')) return false;
  const standing: ChannelBranch = { access, config, base, branch: pull.headRef, head: head.oid, open: pull };
  const asked = (await recordsOn(ports, standing, signal)).flatMap(({ changes }) => changes);
  const place = { git, commit: base, registered: config.directory };
  const { files, left } = await applyChanges(ports, place, asked, signal);
  const made = asked.filter((one) => left.every((other) => other.asked !== one));
  const [first] = made;
  const summary = summaryText(config.branch, left);
  if (first === undefined) {
    await forge.upsertSticky(
      pull.number,
      MARKER,
      `**Closed.** Nothing is left to change. ${summary}`,
      signal,
    );
    await forge.closePull(pull.number, signal);
    return true;
  }
  const record: ChannelsRecord = {
    kind: 'channels',
    changes: made,
    by: first.by,
    byId: first.byId,
    comment: 0,
    index: 0,
    anew: true,
  };
  const answer = await pushOnHead(
    ports,
    git,
    {
      branch: pull.headRef,
      parents: [head.oid, base],
      onto: base,
      changes: files,
      message: (at) => sealedCommitMessage(`Repeat the changes on ${config.branch}`, record, at, ports.seals),
    },
    signal,
  );
  // The check says that it conflicts.
  if (answer.kind === 'refused') return false;
  await forge.upsertSticky(pull.number, MARKER, summary, signal);
  await proposeBranch(ports, standing, made, signal);
  return true;
}

function summaryText(branch: string, left: AppliedChanges['left']): string {
  const moved = `${code(branch)} changed the same channels in the meantime: these changes were repeated on top of it.`;
  if (left.length === 0) return moved;
  const lines = left.map(
    ({ asked, message }) =>
      `- ${code(changeTitle(asked.change, asked.version))} was left out: ${foreignSentence(message)}`,
  );
  return `${moved}\n\n${lines.join('\n')}`;
}
