/** Update pull requests that are left behind: what they would bring is there already, or nowhere to be brought to. */
import { packagePathOf } from '../revision/package-path.ts';
import { parseBranch } from '../revision/ref-name.ts';
import type { Home } from './downstream.ts';
import type { Pull } from './forge-port.ts';
import { code } from './markdown-blocks.ts';
import type { World } from './ports.ts';
import type { Bundle } from './update-bundle.ts';
import { closeOurs, STOP_MARKER } from './update-pull.ts';
import type { Withheld } from './update-target.ts';

/** Begins the comment on a pull request that Portico closed; a person who closes one leaves none. */
const CLOSED = '**Closed.**';

/**
 * Closes the pull request of a package that is where it should be: its revision was retired, or somebody brought it by
 * other means. Commits of people on its branch keep it open: they are theirs to throw away.
 */
export async function closeMoot(
  world: World,
  bundle: Bundle,
  { reason, message }: Withheld,
  signal?: AbortSignal,
): Promise<void> {
  const { head, before, group } = bundle;
  if (reason !== 'up-to-date' || group !== undefined || before === null || before.commit.oid !== head) return;
  await closeOurs(world, bundle, `There is nothing left to bring. ${message}`, signal);
}

/** Closes the pull requests of a package that is gone from the registered branch. */
export async function closeGone(
  world: Pick<World, 'app'>,
  { access: { forge }, config }: Home,
  path: string,
  signal?: AbortSignal,
): Promise<void> {
  for (const pull of await forge.listOpenPulls(signal)) {
    const parsed = parseBranch(pull.headRef);
    if (pull.author !== world.app.botLogin || parsed?.kind !== 'update') continue;
    if (packagePathOf(config.directory, parsed.path) !== path) continue;
    const why = `${CLOSED} ${code(path)} is gone from ${code(config.branch)}: there is nothing to update.`;
    await forge.upsertSticky(pull.number, STOP_MARKER, why, signal);
    await forge.closePull(pull.number, signal);
  }
}

/** True where Portico closed it, so that it says nothing of what people want. */
export async function closedByUs(
  world: Pick<World, 'app'>,
  { access: { forge } }: Home,
  { number }: Pull,
  signal?: AbortSignal,
): Promise<boolean> {
  const comments = await forge.listComments(number, signal);
  return comments.some(
    ({ author, body }) =>
      author === world.app.botLogin && body.startsWith(STOP_MARKER) && body.includes(`\n${CLOSED}`),
  );
}
