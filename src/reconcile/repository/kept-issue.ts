/** An issue that is kept up to date: found by its title, written only when it says something else. */
import { repositoryName } from '../../catalog/catalog.ts';
import { PorticoError } from '../../error.ts';
import { digestOf } from '../../revision/digest.ts';
import type { Issue } from '../forge/issues.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import { dated, dateOf, undated } from '../text/as-of.ts';

/**
 * Our issue of that title; the first one there was, because two processes that start at once may make two. The number that is
 * remembered is tried first. It may be lost, and the issue deleted or moved away: then the forge's list tells.
 */
export async function findIssue(
  { catalog, app }: Pick<Ports, 'catalog' | 'app'>,
  { forge, ref }: Pick<RepositoryAccess, 'forge' | 'ref'>,
  title: string,
  signal?: AbortSignal,
): Promise<Issue | null> {
  const number = catalog.kept(ref.id, title)?.number;
  const known = number === undefined ? null : await forge.getIssue(number, signal);
  const isOurs = known?.number === number && known?.author === app.botLogin && known.title === title;
  return isOurs ? known : forge.oldestIssue({ creator: app.botLogin, title }, signal);
}

/**
 * Brings the issue to say this; makes it where it is not there. `look`: also where it said so when it was written last,
 * because somebody may have edited it. One that a person closed is left alone.
 */
export async function keepIssue(
  ports: Ports,
  access: RepositoryAccess,
  wanted: { readonly title: string; readonly body: string; readonly look: boolean },
  signal?: AbortSignal,
): Promise<void> {
  const { title, body, look } = wanted;
  const { id } = access.ref;
  const digest = digestOf('portico issue 1', [title, body]);
  const known = ports.catalog.kept(id, title);
  if (!look && known?.digest === digest && !isOld(known.at, ports.now())) return;
  try {
    const { number, written, at } = await put(ports, access, { title, body }, signal);
    ports.catalog.keep(id, title, { number, digest: written ? digest : NOT_WRITTEN, at });
  } catch (error) {
    // A repository without issues has no dashboard, and that is no failure.
    if (!hasNoIssues(error)) throw error;
    ports.log.info({ repository: repositoryName(access) }, 'no dashboard: issues are off');
  }
}

/** No body has this digest: one that was closed is looked at again, and written once it is open. */
const NOT_WRITTEN = '';

const NO_ISSUES: readonly string[] = ['FORGE_NOT_FOUND', 'FORGE_FORBIDDEN'];

/** True for what the forge says of a repository whose issues are switched off. */
export function hasNoIssues(error: unknown): boolean {
  return error instanceof PorticoError && NO_ISSUES.includes(error.code);
}

/** The number of the issue that holds the body now, or that a person closed; and when that was written. */
async function put(
  ports: Ports,
  access: RepositoryAccess,
  { title, body }: { readonly title: string; readonly body: string },
  signal: AbortSignal | undefined,
): Promise<{ readonly number: number; readonly written: boolean; readonly at: number }> {
  const { forge, ref } = access;
  const found = await findIssue(ports, access, title, signal);
  const now = ports.now();
  const text = dated(body, now, RENEWAL);
  const at = now.getTime();
  if (found === null)
    return { number: await openIssue(ports, access, { title, body: text }, signal), written: true, at };
  const { number } = found;
  if (found.state === 'closed') return { number, written: false, at };
  if (undated(found.body) === body) {
    const before = dateOf(found.body);
    // Only the date is old: what has to be written today comes first.
    const mayStay = !isOld(before, now) || (await ports.secondsUntilContentAllowed(ref.installationId)) > 0;
    if (mayStay) return { number, written: true, at: before };
  }
  await forge.updateIssue(number, { body: text }, signal);
  return { number, written: true, at };
}

/** The date alone is a reason to write once a day, so that readers see that Portico still runs. */
const RENEWAL = '; updated after each change, and once a day';
const RENEWED_MS = 86_400_000;

function isOld(at: number, now: Date): boolean {
  return now.getTime() - at >= RENEWED_MS;
}

/** Opens an issue; where two processes did so at once, the answer is the first. */
export async function openIssue(
  { app }: Pick<Ports, 'app'>,
  { forge }: Pick<RepositoryAccess, 'forge'>,
  issue: { readonly title: string; readonly body: string },
  signal?: AbortSignal,
): Promise<number> {
  const made = await forge.createIssue(issue, signal);
  const first = await forge.oldestIssue({ creator: app.botLogin, title: issue.title }, signal);
  return first?.number ?? made.number;
}
