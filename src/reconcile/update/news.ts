import { upstreamText } from '../../text/revision-text.ts';
import type { Ports } from '../ports.ts';
import { filesAt } from '../repository/package-files.ts';
import { packagesOf, readSealed } from '../seal/update-record.ts';
import { code, details } from '../text/markdown-blocks.ts';
import type { UpdatePlan, Member } from './plan.ts';

const MARKER = '<!-- portico:retargeted -->';

/** Room for the diffs of all packages, in characters. */
const ROOM = 25_000;

/**
 * Says in one comment, which is edited the next time, that an open update brings other revisions now, and what changed
 * since somebody last reviewed it, or since the revisions before. `now` is the head of the branch.
 */
export async function tellOfRetarget({
  ports: { content, seals },
  plan: {
    downstreamRepository: { access, base },
    open,
    head: branchHead,
    before: newest,
    group,
  },
  members,
  now,
  signal,
}: {
  readonly ports: Pick<Ports, 'content' | 'seals'>;
  readonly plan: UpdatePlan;
  readonly members: readonly Pick<Member, 'down' | 'to'>[];
  readonly now: string;
  readonly signal?: AbortSignal | undefined;
}): Promise<void> {
  if (open === undefined || branchHead === null || newest === null) return;
  const { git, forge } = access;
  // Where the branch holds it already, what it held before.
  const isThere = now === branchHead;
  const [below] = newest.commit.parents;
  const head = isThere ? below : branchHead;
  if (head === undefined) return;
  const log = isThere
    ? await git.log({ from: base.oid, to: head }, { firstParent: true, limit: 200 }, signal)
    : [];
  const [before] = isThere ? log.flatMap((commit) => readSealed(commit, seals) ?? []) : [newest.record];
  if (before === undefined) return;
  const recorded = packagesOf(before);
  const news = members.flatMap(({ down, to }) => {
    const was = recorded.find(({ directory }) => directory === down.directory)?.to;
    return was === to ? [] : [{ down, to, was }];
  });
  const gone = recorded.filter(({ directory }) => members.every(({ down }) => down.directory !== directory));
  const [first] = news;
  if (first === undefined && gone.length === 0) return;
  const reviews = await forge.listReviews(open.number, signal);
  const reviewed = reviews.findLast(
    ({ authorIsBot, commitId }) => !authorIsBot && commitId !== null,
  )?.commitId;
  const known = reviewed === undefined || reviewed === null ? null : await git.resolve(reviewed, signal);
  const alone = group === undefined ? first : undefined;
  const since =
    known !== null
      ? 'since the last review'
      : alone?.was === undefined
        ? 'since it was proposed'
        : `since ${code(alone.was)} was proposed`;
  const limit = Math.floor(ROOM / Math.max(1, news.length + gone.length));
  const places = [...news.map(({ down }) => down.directory), ...gone.map(({ directory }) => directory)];
  const diffs: string[] = [];
  for (const directory of places) {
    const sides = {
      before: await filesAt(git, known ?? head, directory, signal),
      after: await filesAt(git, now, directory, signal),
    };
    const { text } = await content.diffText({ ...sides, limit }, signal);
    diffs.push(alone === undefined ? `${code(directory)}\n\n${text}` : text);
  }
  const opening =
    alone !== undefined
      ? `**This pull request now brings ${upstreamText(alone.to, code)}** instead of ${code(alone.was ?? '')}.`
      : `**This pull request now brings other revisions:** ${[
          ...news.map(
            ({ down, to, was }) =>
              `${code(down.path)} ${was === undefined ? 'is added at ' : ''}${upstreamText({ from: was, to }, code)}`,
          ),
          ...gone.map(({ directory }) => `${code(directory)} is no longer part of it`),
        ].join('; ')}.`;
  const text = `${opening} Commits that people made on its branch are kept.`;
  await forge.upsertSticky(
    open.number,
    MARKER,
    `${text}\n\n${details(`What changed ${since}`, diffs.join('\n\n'))}`,
    signal,
  );
}
