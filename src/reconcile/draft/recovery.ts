/**
 * A revision that failed where it runs and is healthy again: what would restore the one before is closed, as long as nobody has
 * touched it, and opened again should the revision fail again.
 */
import { draftBranch } from '../../revision/ref-name.ts';
import type { Comment } from '../forge/comments.ts';
import type { Pull } from '../forge/pulls.ts';
import type { CommitInfo } from '../git-port.ts';
import { proposalJob } from '../jobs.ts';
import { isRenderCommit } from '../seal/bot-commit.ts';
import { readCommitRecord } from '../seal/commit-seal.ts';
import type { RestorationPlace, Standing } from './restoration-place.ts';
import { recoveredText } from './restoration-text.ts';

const MARKER = '<!-- portico:recovered -->';
/** Below what is said, until it is closed: a look that is broken off goes on. */
const CLOSING = '\n\n<!-- closing -->';
/** Commits of a branch that are looked through; one with more was touched. */
const MAX_COMMITS = 100;

/** Open pull requests of Portico that would restore something in place of a revision. */
export async function restorationsOf(
  { ports, access: { git, forge }, signal }: RestorationPlace,
  { directory, revision }: Pick<Standing, 'directory' | 'revision'>,
): Promise<readonly Pull[]> {
  const [start, end] = [draftBranch(directory, 'restore-'), `-after-${revision}`];
  const heads = [...(await git.refs(`refs/heads/${start}`, signal)).keys()];
  const found: Pull[] = [];
  for (const ref of heads.filter((name) => name.endsWith(end))) {
    const branch = ref.slice('refs/heads/'.length);
    const pulls = await forge.pullsForHead({ branch }, { state: 'open' }, signal);
    found.push(...pulls.filter(({ author }) => author === ports.app.botLogin));
  }
  return found;
}

/** Closes what would restore another revision, and says why; what a person has touched is left open, and told. */
export async function closeRecovered(place: RestorationPlace, one: Standing): Promise<void> {
  const { ports, access, found, signal } = place;
  for (const pull of await restorationsOf(place, one)) {
    const closed = recoveredText(one, 'closed');
    if (await isTouched(place, pull, one)) {
      await access.forge.upsertSticky(pull.number, MARKER, recoveredText(one, 'kept'), signal);
      continue;
    }
    await access.forge.upsertSticky(pull.number, MARKER, `${closed}${CLOSING}`, signal);
    await access.forge.closePull(pull.number, signal);
    await access.forge.upsertSticky(pull.number, MARKER, closed, signal);
    ports.log.info(
      {
        repository: found.facts.fullName,
        package: one.path,
        revision: one.revision,
        pull: pull.number,
      },
      'a revision is healthy again: the proposal that would restore another is closed',
    );
  }
}

/**
 * Opens again what Portico closed because the revision had recovered. Nothing where it is open or merged, or where a person closed
 * it: that decided.
 */
export async function reopened(
  place: RestorationPlace,
  one: Standing,
  known: readonly Pull[],
): Promise<void> {
  const { ports, access, signal } = place;
  const { forge, ref } = access;
  const pull = known[0];
  if (pull === undefined || known.some(({ state, merged }) => state === 'open' || merged)) return;
  const said = saidIn(place, await forge.listComments(pull.number, signal));
  if (!said.includes(recoveredText(one, 'closed'))) return;
  await forge.updatePull(pull.number, { state: 'open' }, signal);
  await forge.upsertSticky(pull.number, MARKER, recoveredText(one, 'failing'), signal);
  await ports.enqueue(proposalJob(ref, pull.number));
}

/** Whether a person has a part in it: a commit, a comment, a review, or that it is open again after Portico closed it. */
async function isTouched(
  place: RestorationPlace,
  { number, headSha }: Pull,
  one: Standing,
): Promise<boolean> {
  const {
    ports: { seals },
    access: { git, forge },
    found,
    signal,
  } = place;
  const log = await git.log({ from: found.head, to: headSha }, { limit: MAX_COMMITS }, signal);
  const isOurs = (commit: CommitInfo): boolean =>
    readCommitRecord(commit, seals) !== null || isRenderCommit(commit, seals);
  if (log.length === MAX_COMMITS || !log.every(isOurs)) return true;
  const comments = await forge.listComments(number, signal);
  const said = saidIn(place, comments);
  const isReopened = said.includes(recoveredText(one, 'closed')) && !said.endsWith(CLOSING.trim());
  if (isReopened || said.includes(recoveredText(one, 'kept'))) return true;
  if (comments.some(({ authorIsBot }) => !authorIsBot)) return true;
  return (await forge.listReviews(number, signal)).some(({ authorIsBot }) => !authorIsBot);
}

/** What Portico has said of the recovery; '' where it has said nothing. */
function saidIn({ ports }: RestorationPlace, comments: readonly Comment[]): string {
  const own = comments.find(({ author, body }) => author === ports.app.botLogin && body.startsWith(MARKER));
  return own?.body.trimEnd() ?? '';
}
