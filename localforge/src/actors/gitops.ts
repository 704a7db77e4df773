/** Flux and Argo CD follow the branches of repositories that say so. */
import type { ForgeContext } from '../context.ts';
import type { RefsUpdated } from '../refs.ts';
import { runArgo } from './argo.ts';
import { isWatched } from './cluster.ts';
import { runFlux } from './flux.ts';

/** They come to see what was pushed to a branch, in a while. */
export async function runGitOps(context: ForgeContext, { repository, updates }: RefsUpdated): Promise<void> {
  const { fluxLag, argoLag } = context.knobs.realism;
  if (fluxLag === null && argoLag === null) return;
  const moved = updates.some(({ ref, after }) => ref.startsWith('refs/heads/') && after !== null);
  if (!moved || !(await isWatched(context, repository))) return;
  runFlux(context, repository);
  runArgo(context, repository);
}
