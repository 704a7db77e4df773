/** Who is an author of what a pull request brings, by who moved its branch and asked for what stands on it. */
import type { StageRepository } from '../reconcile/stage-repository.ts';
import type { Audit, Moved } from './audit.ts';
import { commitsIn, isPlainMerge } from './git-facts.ts';
import { bringsContent, commandsIn } from './said.ts';

/**
 * Login → because. `repository` has all objects, forks' too. Who opened it, who moved its branch to commits that are
 * still in it, and who asked for what the bot put there; commits that the registered branch holds are nobody's, and so is
 * a merge of both that holds no more than they do (docs/lifecycle.md).
 */
export async function authorsOf(
  audit: Audit,
  repository: StageRepository,
  { pull, head, base }: { readonly pull: number; readonly head: string; readonly base: string },
): Promise<Map<string, string>> {
  const repo = `${repository.owner}/${repository.repo}`;
  const authors = new Map<string, string>();
  const opened = audit.of('opened', repo).find((one) => one.pull === pull);
  if (opened === undefined) return authors;
  if (!opened.isBot) authors.set(opened.by, `opened #${pull}`);
  const inIt = new Set(await commitsIn(repository, head, [base]));
  for (const move of movesOf(audit, opened.headRepo, `refs/heads/${opened.headRef}`)) {
    if (move.after === null) continue;
    const who = move.isBot ? askerOf(audit, move) : move.by;
    if (who === undefined || authors.has(who)) continue;
    const before = move.before === null || move.forced ? [base] : [base, move.before];
    const brought = await commitsIn(repository, move.after, before).catch(() => []);
    const own = brought.filter((commit) => inIt.has(commit));
    const plain = await Promise.all(own.map((commit) => isPlainMerge(repository, commit)));
    if (plain.some((one) => !one)) {
      authors.set(
        who,
        move.isBot ? `asked for a commit on ${opened.headRef}` : `pushed to ${opened.headRef}`,
      );
    }
  }
  return authors;
}

export function movesOf(audit: Audit, repo: string, ref: string): Moved[] {
  return audit.of('moved', repo).filter((one) => one.ref === ref);
}

/** The person whose command in the same repository and step the bot carried out, where it brings content. */
function askerOf(audit: Audit, { repo, step, seq }: Moved): string | undefined {
  return commandsIn(audit, repo, seq).findLast((one) => one.step === step && bringsContent(one))?.by;
}
