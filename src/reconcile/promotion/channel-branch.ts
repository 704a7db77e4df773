/** The branch on which channel files are changed, and the pull request that proposes what is on it. */

import { changeTitle } from '../../channels/change-file.ts';
import { channelFileOf } from '../../channels/judge-file.ts';
import { memberFacts } from '../../channels/named-revision.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import type { Pull } from '../forge/pulls.ts';
import type { FileChanges, Git } from '../git-port.ts';
import { proposalJob } from '../jobs.ts';
import type { Ports, RepositoryAccess } from '../ports.ts';
import { loadRevisionRefs } from '../repository/package-revisions.ts';
import { readCommitRecord, type AskedChange, type ChannelsRecord } from '../seal/commit-seal.ts';
import { code, foreignSentence } from '../text/markdown-blocks.ts';
import { publishedBundles } from './operator-entry.ts';

/** Commits of one branch that are looked through. */
const MAX_COMMITS = 300;

/** A branch of channel changes as it stands. */
export interface ChannelBranch {
  readonly access: RepositoryAccess;
  readonly config: RepositoryConfig;
  /** Head of the registered branch. */
  readonly base: string;
  readonly branch: string;
  readonly head: string | null;
  readonly open: Pull | undefined;
}

/** Our records on the branch since it began, oldest first. */
export async function recordsOn(
  ports: Pick<Ports, 'seals'>,
  { access: { git }, base, head }: Pick<ChannelBranch, 'access' | 'base' | 'head'>,
  signal?: AbortSignal,
): Promise<readonly ChannelsRecord[]> {
  if (head === null) return [];
  const found: ChannelsRecord[] = [];
  const log = await git.log({ from: base, to: head }, { firstParent: true, limit: MAX_COMMITS }, signal);
  for (const commit of log) {
    const record = readCommitRecord(commit, ports.seals);
    if (record?.kind !== 'channels') continue;
    found.unshift(record);
    if (record.anew === true) break;
  }
  return found;
}

/** The files after these changes, from what stands at a commit; and those changes that do not fit there, with the reason. */
export interface AppliedChanges {
  readonly files: FileChanges;
  readonly left: readonly { readonly asked: AskedChange; readonly message: string; readonly hint: string }[];
}

/** Makes changes one after the other. */
export async function applyChanges(
  { content }: Pick<Ports, 'content'>,
  {
    git,
    commit,
    registered,
  }: { readonly git: Git; readonly commit: string; readonly registered: RepositoryDirectory },
  changes: readonly AskedChange[],
  signal?: AbortSignal,
): Promise<AppliedChanges> {
  const refs = await loadRevisionRefs(git, signal);
  const texts = new Map<string, string | undefined>();
  const changed = new Set<string>();
  const left: AppliedChanges['left'][number][] = [];
  for (const asked of changes) {
    const { change, day } = asked;
    const file = channelFileOf(change.package);
    if (!texts.has(file)) {
      const bytes = await git.readFile(commit, file, signal);
      texts.set(file, bytes === null ? undefined : new TextDecoder().decode(bytes));
    }
    const place = { git, head: commit, refs, registered };
    const bundles = publishedBundles({ content }, place, change.package, signal);
    const member = await memberFacts(change, bundles);
    const facts = { published: bundles.published, day, ...(member && { member }) };
    const answer = await content.changeChannels(texts.get(file), change, facts, signal);
    if (!answer.ok) left.push({ asked, message: answer.message, hint: answer.hint });
    else {
      texts.set(file, answer.text);
      changed.add(file);
    }
  }
  const files = [...changed].map((file) => {
    const bytes = new TextEncoder().encode(texts.get(file) ?? '');
    return [file, { mode: '100644' as const, bytes }] as const;
  });
  return { files: new Map(files), left };
}

/** Opens the pull request of the branch, or says in it what the branch holds now. */
export async function proposeBranch(
  ports: Ports,
  { access, config, branch, open }: ChannelBranch,
  changes: readonly AskedChange[],
  signal?: AbortSignal,
): Promise<Pull> {
  const words = { title: titleOf(changes), body: bodyOf(changes) };
  if (open === undefined) {
    const { pull } = await access.forge.createPull({ ...words, head: branch, base: config.branch }, signal);
    await ports.enqueue(proposalJob(access.ref, pull.number));
    return pull;
  }
  if (open.title !== words.title || open.body !== words.body) {
    await access.forge.updatePull(open.number, words, signal);
  }
  await ports.enqueue(proposalJob(access.ref, open.number));
  return open;
}

function titleOf([first, ...others]: readonly AskedChange[]): string {
  if (first === undefined) return 'Change channels';
  const title = changeTitle(first.change, first.version);
  return others.length === 0 ? title : `${title}, and ${others.length} more`;
}

/** Changes that a body lists. */
const MAX_LISTED = 100;

function bodyOf(changes: readonly AskedChange[]): string {
  const lines = changes.slice(0, MAX_LISTED).map(lineOf);
  const more = changes.length > MAX_LISTED ? [`- and ${changes.length - MAX_LISTED} more`] : [];
  return [
    `Portico made this branch for these changes; its comment below shows what the branch changes now:\n\n${[...lines, ...more].join('\n')}`,
    'The checks `portico/channels` and `portico/graph` show which gates have passed, and which revision each downstream gets after the merge. In this pull request, `/portico promote`, `withdraw`, `deprecate` and `channel` add their change to it; elsewhere they open a pull request of their own.',
    'Closing this pull request leaves every channel as it is.',
  ].join('\n\n');
}

function lineOf({ change, version, by, askedIn }: AskedChange): string {
  const what = code(changeTitle(change, version));
  const why =
    change.do === 'withdraw' ? change.reason : change.do === 'deprecate' ? change.message : undefined;
  const reason = why === undefined ? '' : `: ${foreignSentence(why)}`;
  const who = askedIn === undefined ? 'its gates have opened' : `asked for by ${code(by)} in #${askedIn}`;
  return `- ${what}${reason} (${who})`;
}
