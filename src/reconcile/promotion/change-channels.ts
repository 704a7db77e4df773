/** A command about channels: a commit on the branch of a pull request that changes the channel file. */
import { changeEffects, changeTitle, type ChannelRequest } from '../../channels/change-file.ts';
import { channelFileOf } from '../../channels/judge-file.ts';
import { changedVersion, nameRevisions, type PublishedBundles } from '../../channels/named-revision.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { pathInRepository } from '../../revision/package-path.ts';
import { CHANNEL_BRANCHES, channelBranch } from '../../revision/ref-name.ts';
import { sentenceStart } from '../../text/joined.ts';
import type { Ports, RepositoryAccess, RepositoryWork } from '../ports.ts';
import { loadConfiguration } from '../repository/configuration.ts';
import { loadRevisionRefs } from '../repository/package-revisions.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { pushCommit, type BranchCommit } from '../repository/push-commit.ts';
import { pushRefusal, refMoved } from '../repository/refused-push.ts';
import { sealedCommitMessage, type AskedChange, type ChannelsRecord } from '../seal/commit-seal.ts';
import type { CommandRequest, StepOutcome } from '../step-outcome.ts';
import { applyChanges, proposeBranch, recordsOn, type ChannelBranch } from './channel-branch.ts';
import { publishedBundles } from './operator-entry.ts';

/** In a pull request about channels the change comes along; elsewhere it has the pull request of its package. */
export async function changeChannels({
  ports,
  access,
  snapshot,
  asked,
  change: request,
  signal,
}: RepositoryWork & {
  readonly snapshot: ProposalSnapshot | null;
  readonly asked: CommandRequest;
  readonly change: ChannelRequest;
}): Promise<StepOutcome> {
  const { git, forge } = access;
  const [facts] = await Promise.all([forge.get(signal), git.fetch({}, signal)]);
  const configuration = await loadConfiguration(git, facts.defaultBranch, signal);
  if (configuration.state !== 'registered') return refused('the repository is not registered', '');
  const { config } = configuration;
  const here = snapshot !== null && isOfChannels(snapshot) ? snapshot.pull.headRef : undefined;
  const standing = await standingBranch(access, config, here ?? branchOf(config, request), signal);
  if (standing === null) return refused(`the branch ${config.branch} is not there`, 'See `spec.branch`.');
  const named = await nameRevisions(request, await bundlesBelow(ports, standing, request.package, signal));
  if (!named.ok) return refused(named.message, named.hint);
  const wish: AskedChange = {
    change: named.change,
    by: asked.login,
    byId: asked.accountId,
    askedIn: asked.number,
    day: asked.at.slice(0, 10),
  };
  return proposeChange(ports, standing, { wish, comment: asked.id, index: asked.index }, signal);
}

function branchOf(config: Pick<RepositoryConfig, 'directory'>, change: ChannelRequest): string {
  const isUrgent = change.do === 'withdraw' || change.do === 'deprecate';
  return channelBranch(
    pathInRepository(config.directory, change.package),
    isUrgent ? 'withdrawals' : 'channels',
  );
}

function isOfChannels({ pull, writable }: ProposalSnapshot): boolean {
  return writable && pull.state === 'open' && pull.headRef.startsWith(CHANNEL_BRANCHES);
}

/** Null where there is no registered branch. */
export async function standingBranch(
  access: RepositoryAccess,
  config: RepositoryConfig,
  branch: string,
  signal?: AbortSignal,
): Promise<ChannelBranch | null> {
  const { git, forge } = access;
  const base = await git.resolve(`refs/heads/${config.branch}`, signal);
  if (base === null) return null;
  const [open] = await forge.pullsForHead({ branch }, { state: 'open' }, signal);
  return { access, config, base, branch, head: await git.resolve(`refs/heads/${branch}`, signal), open };
}

/** Which command, or `comment: 0` where Portico began by itself. */
export interface ChangeWish {
  readonly wish: AskedChange;
  readonly comment: number;
  readonly index: number;
}

/** Puts the change on the branch and proposes it; asked again, it goes on where it was. */
export async function proposeChange(
  ports: Ports,
  standing: ChannelBranch,
  { wish: asked, comment, index }: ChangeWish,
  signal?: AbortSignal,
): Promise<StepOutcome> {
  const { open, access, base } = standing;
  const bundles = await bundlesBelow(ports, standing, asked.change.package, signal);
  const version = await changedVersion(asked.change, bundles);
  const wish = version === undefined ? asked : { ...asked, version };
  const records = await recordsOn(ports, standing, signal);
  const isMade = records.some((one) => one.comment === comment && one.index === index && holds(one, wish));
  const before = isMade || open !== undefined ? records.flatMap(({ changes }) => changes) : [];
  if (!isMade) {
    const problem = await pushChange(ports, standing, { wish, comment, index }, signal);
    if (problem !== null) return problem;
  }
  const changes = isMade ? before : [...before, wish];
  const pull = await proposeBranch(ports, standing, changes, signal);
  // The same where the command is run again, because its end was lost.
  const where = changes.length > 1 ? 'proposes it with its other changes' : 'proposes it';
  const isElsewhere = open !== undefined && wish.askedIn !== open.number;
  const voided = isElsewhere
    ? ' If it was approved, it needs a new approval, because its content changed.'
    : '';
  const ofPackage = changes.filter(({ change }) => change.package === wish.change.package);
  const isFirst =
    JSON.stringify(ofPackage[0]?.change) === JSON.stringify(wish.change) &&
    (await access.git.readFile(base, channelFileOf(wish.change.package), signal)) === null;
  const effects = changeEffects(wish.change, isFirst);
  return {
    kind: 'done',
    reply: `${changeTitle(wish.change, wish.version)}: [#${pull.number}](${pull.htmlUrl}) ${where}.${effects && ` ${effects}`}${voided}`,
  };
}

/** Those of the registered branch. */
async function bundlesBelow(
  ports: Pick<Ports, 'content'>,
  { access: { git }, base, config }: ChannelBranch,
  path: string,
  signal: AbortSignal | undefined,
): Promise<PublishedBundles> {
  const refs = await loadRevisionRefs(git, signal);
  return publishedBundles(ports, { git, head: base, refs, registered: config.directory }, path, signal);
}

function holds({ changes }: ChannelsRecord, { change }: AskedChange): boolean {
  return changes.some((one) => JSON.stringify(one.change) === JSON.stringify(change));
}

/** What was closed, or merged, is begun anew from the registered branch; commits that are there stay below. */
async function pushChange(
  ports: Ports,
  standing: ChannelBranch,
  { wish, comment, index }: ChangeWish,
  signal: AbortSignal | undefined,
): Promise<StepOutcome | null> {
  const { access, config, base, branch, head, open } = standing;
  const { git } = access;
  const goesOn = open !== undefined && head !== null;
  const parents: BranchCommit['parents'] = goesOn
    ? [head]
    : head === null || (await git.isAncestor(head, base, signal))
      ? [base]
      : [head, base];
  const onto = goesOn ? head : base;
  const place = { git, commit: onto, registered: config.directory };
  const { files, left } = await applyChanges(ports, place, [wish], signal);
  const [refusal] = left;
  if (refusal !== undefined) return refused(refusal.message, refusal.hint);
  const record: ChannelsRecord = {
    kind: 'channels',
    changes: [wish],
    by: wish.by,
    byId: wish.byId,
    comment,
    index,
    ...(!goesOn && { anew: true }),
  };
  const title = `${changeTitle(wish.change, wish.version)}\n\nRequested-By: ${wish.by}`;
  const answer = await pushCommit(
    ports,
    git,
    {
      branch,
      expect: head,
      parents,
      onto,
      changes: files,
      message: (at) => sealedCommitMessage(title, record, at, ports.seals),
    },
    signal,
  );
  if (answer.kind === 'pushed') return null;
  if (answer.kind === 'moved') throw refMoved(branch);
  return { kind: 'failed', ...pushRefusal(branch, answer.rejected) };
}

function refused(message: string, hint: string): StepOutcome {
  return { kind: 'refused', message: `${sentenceStart(message)}.`, hint };
}
