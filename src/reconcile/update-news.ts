import { diffMarkdown } from '../package/diff/diff-markdown.ts';
import { diffPackages } from '../package/diff/diff.ts';
import type { PackageFiles } from '../package/package.ts';
import { branchHead, type Downstream } from './downstream.ts';
import type { Pull } from './forge-port.ts';
import { code, details } from './markdown-blocks.ts';

const MARKER = '<!-- portico:retargeted -->';

/**
 * Says in one comment, which is edited the next time, that an open update brings another revision now, and what changed
 * since somebody last reviewed it, or since the revision before.
 */
export async function tellOfRetarget(
  down: Downstream,
  pull: Pull,
  previous: { readonly to: string; readonly head: string },
  to: string,
  signal?: AbortSignal,
): Promise<void> {
  const { access, directory } = down;
  const { git, forge } = access;
  const head = await branchHead(down, signal);
  if (head === null || previous.to === to) return;
  const read = async (commit: string): Promise<PackageFiles> =>
    (await git.readPackage(commit, directory, {}, signal))?.files ?? new Map();
  const reviews = await forge.listReviews(pull.number, signal);
  const reviewed = reviews.findLast(
    ({ authorIsBot, commitId }) => !authorIsBot && commitId !== null,
  )?.commitId;
  const known = reviewed === undefined || reviewed === null ? null : await git.resolve(reviewed, signal);
  const since = known === null ? `since ${code(previous.to)} was proposed` : 'since the last review';
  const diff = diffMarkdown(diffPackages(await read(known ?? previous.head), await read(head)), {
    limit: 25_000,
  });
  const said = `**This pull request brings ${code(to)} now**, and brought ${code(previous.to)} before. What people committed on its branch is kept.`;
  await forge.upsertSticky(
    pull.number,
    MARKER,
    `${said}\n\n${details(`What changed ${since}`, diff)}`,
    signal,
  );
}
