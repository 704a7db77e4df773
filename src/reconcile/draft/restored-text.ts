/**
 * A draft that restores an earlier revision promises the trailer `Restored-From` of its tag. That is true as long as the branch holds
 * that content: after a push of other content it becomes another revision, and title and description say so.
 */
import { packagePathOf } from '../../revision/package-path.ts';
import { parseBranch } from '../../revision/ref-name.ts';
import { markedPart, partIn, withPart } from '../../text/marked-part.ts';
import type { RepositoryWork } from '../ports.ts';
import { loadRevisionRefs } from '../repository/package-revisions.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { restoredFrom } from '../review/draft-history.ts';
import { code } from '../text/markdown-blocks.ts';

const PART = 'restores';
const CHANGED = ', changed since';

/** The promise, between marks, so that a later look can replace it. */
export function restoresPart(path: string, revision: string): string {
  return markedPart(PART, promise(path, revision));
}

function promise(path: string, revision: string): string {
  return `Restores ${code(path)} to ${code(revision)}. When published, it becomes the next revision, whose tag says ${trailer(revision)}.`;
}

function changed(path: string, revision: string): string {
  return `**Started from ${code(revision)}, changed since:** this is not the content of ${code(`${path}@${revision}`)}. When published, the tag does not say ${trailer(revision)}.`;
}

const trailer = (revision: string): string => code(`Restored-From: ${revision}`);

/** Makes title and description say whether the branch still holds the revision; of any other pull request nothing. */
export async function refreshRestoredText(
  { ports, access: { forge, git }, signal }: RepositoryWork<'app' | 'seals'>,
  { pull, config, packages }: Pick<ProposalSnapshot, 'pull' | 'config' | 'packages'>,
  head: string,
): Promise<void> {
  const branch = parseBranch(pull.headRef);
  const said = partIn(pull.body.replaceAll('\r\n', '\n'), PART);
  if (pull.author !== ports.app.botLogin || branch?.kind !== 'draft' || said === '') return;
  const [, revision] = /`Restored-From: ([^`\s]+)`/.exec(said) ?? [];
  const one = packages.find(({ directory }) => directory === branch.path);
  if (revision === undefined || one === undefined) return;
  const due = {
    pull: { ...pull, headSha: head },
    commit: await git.commit(head, signal),
    directory: one.directory,
  };
  const refs = await loadRevisionRefs(git, signal);
  const isRestored = (await restoredFrom({ ports, git, refs, due, signal })) === revision;
  const path = packagePathOf(config.directory, one.directory) ?? one.directory;
  const state = { path, revision, isRestored };
  if (withRestored(pull, state) === null) return;
  const now = await forge.lookingAt(pull.number).getPull(pull.number, signal);
  const texts = now?.state === 'open' ? withRestored(now, state) : null;
  if (texts !== null) await forge.updatePull(pull.number, texts, signal);
}

interface Texts {
  readonly title: string;
  readonly body: string;
}

/** Title and body as they should be; null if they are. A title that a person wrote stays. */
function withRestored(
  { title, body }: Texts,
  { path, revision, isRestored }: Readonly<{ path: string; revision: string; isRestored: boolean }>,
): Texts | null {
  const isOurs = title.startsWith(`Restore ${path} to ${revision}`);
  const plain = title.endsWith(CHANGED) ? title.slice(0, -CHANGED.length) : title;
  const before = body.replaceAll('\r\n', '\n');
  const wanted = {
    title: isOurs ? `${plain}${isRestored ? '' : CHANGED}` : title,
    body: withPart(before, PART, (isRestored ? promise : changed)(path, revision)),
  };
  return wanted.title === title && wanted.body === before ? null : wanted;
}
