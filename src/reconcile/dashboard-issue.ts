/** An issue that is kept up to date: found by its title, written only when it says something else. */
import { PorticoError } from '../error.ts';
import { digestOf } from '../revision/digest.ts';
import type { Access, World } from './ports.ts';

export interface FoundIssue {
  readonly number: number;
  readonly state: 'open' | 'closed';
  readonly body: string;
}

/** Our issue of that title; the first one there was, because two processes that start at once may make two. */
export async function findIssue(
  world: World,
  { forge }: Access,
  title: string,
  signal?: AbortSignal,
): Promise<FoundIssue | undefined> {
  const ours = await forge.listIssues({ state: 'all', creator: world.app.botLogin }, signal);
  return ours.filter((one) => one.title === title).toSorted((a, b) => a.number - b.number)[0];
}

/**
 * Brings the issue to say this; makes it where it is not there. `look`: also where it said so when it was written last,
 * because somebody may have edited it. One that a person closed is left alone.
 */
export async function keepIssue(
  world: World,
  access: Access,
  wanted: { readonly title: string; readonly body: string; readonly look: boolean },
  signal?: AbortSignal,
): Promise<void> {
  const { title, body, look } = wanted;
  const { id } = access.ref;
  const digest = digestOf('portico issue 1', [title, body]);
  if (!look && world.catalog.kept(id, title)?.digest === digest) return;
  try {
    const number = await put(world, access, title, body, signal);
    world.catalog.keep(id, title, number === null ? undefined : { number, digest });
  } catch (error) {
    // A repository without issues has no dashboard, and that is no failure.
    if (!(error instanceof PorticoError) || !NO_ISSUES.includes(error.code)) throw error;
    world.log.info({ repository: `${access.ref.owner}/${access.ref.name}` }, 'no dashboard: issues are off');
  }
}

const NO_ISSUES: readonly string[] = ['FORGE_NOT_FOUND', 'FORGE_FORBIDDEN'];

/** The number of the issue that holds the body now; null where a person closed it. */
async function put(
  world: World,
  access: Access,
  title: string,
  body: string,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  const found = await findIssue(world, access, title, signal);
  if (found === undefined) return (await access.forge.createIssue({ title, body }, signal)).number;
  if (found.state === 'closed') return null;
  if (found.body !== body) await access.forge.updateIssue(found.number, { body }, signal);
  return found.number;
}
