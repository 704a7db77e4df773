/**
 * Updates of a package that somebody paused: the ref `refs/portico/paused/<path>/updates` stands for it, a sealed tag that
 * says who and when. It is fetched with everything else. One that is not sealed pauses nothing.
 */
import { noSuchPackage } from '../../command/not-found.ts';
import { SOURCES_FILE } from '../../package/sources/source-files.ts';
import { fileIn, pathInRepository, TOP, type RepositoryDirectory } from '../../revision/package-path.ts';
import { groupOfBranch, parseBranch, pausedRef } from '../../revision/ref-name.ts';
import type { StepContext } from '../draft/step-context.ts';
import type { RejectedRef } from '../git-port.ts';
import { pullJob, variantJob } from '../jobs.ts';
import type { RepositoryAccess, RepositoryWork } from '../ports.ts';
import { readKptfileAt } from '../repository/kptfile-at.ts';
import { pauseOf } from '../repository/pause.ts';
import { rootPackages } from '../repository/proposal-snapshot.ts';
import { ALLOW_RECORDS, pushRefusal, refMoved, wasOvertaken } from '../repository/refused-push.ts';
import { openRegistered } from '../repository/registered.ts';
import { writeSealedTag } from '../seal/sealed-ref.ts';
import { nameWhereAsked, type CommandRequest, type StepOutcome } from '../step-outcome.ts';
import { code } from '../text/markdown-blocks.ts';

export async function pauseUpdates({
  ports,
  access,
  asked,
  step: { package: path, login },
  signal,
}: StepContext<'pause-updates'>): Promise<StepOutcome> {
  const { git } = access;
  const name = nameWhereAsked(asked, path);
  const place = await packageOnBranch(access, asked, path, signal);
  if ('kind' in place) return place;
  const before = await pauseOf(ports, access, place.directory, signal);
  if (typeof before?.by === 'string') {
    return { kind: 'done', reply: `Updates of ${code(name)} are already paused, by ${code(before.by)}.` };
  }
  const ref = pausedRef(place.directory);
  const where = asked.from === undefined ? `#${asked.number}` : asked.from.mention;
  const requested = where === undefined ? '' : `\nRequested-In: ${where}`;
  const text = `Updates of ${path} are paused\n\nPaused-By: ${login}${requested}`;
  const record = { ref, text, object: place.head, date: new Date(asked.at) };
  const tag = await writeSealedTag(ports, access, record, signal);
  const answer = await git.push([{ ref, to: tag, expect: before?.oid ?? null }], signal);
  if (!answer.ok) return notMoved(ref, answer.rejected);
  await lookAgain({ ports, access, signal }, path, place.directory);
  return {
    kind: 'done',
    reply: `Updates of ${code(name)} are paused. Resume them with \`/portico resume ${name}\`. \`/portico update\` still works.`,
  };
}

export async function resumeUpdates({
  ports,
  access,
  asked,
  step: { package: path },
  signal,
}: StepContext<'resume-updates'>): Promise<StepOutcome> {
  const { git } = access;
  const name = nameWhereAsked(asked, path);
  const place = await packageOnBranch(access, asked, path, signal);
  if ('kind' in place) return place;
  const ref = pausedRef(place.directory);
  const found = (await git.refs(ref, signal)).get(ref);
  if (found !== undefined) {
    const answer = await git.push([{ ref, to: null, expect: found.oid }], signal);
    if (!answer.ok) return notMoved(ref, answer.rejected);
  }
  // Also where it was not paused: the command may be running for the second time.
  await lookAgain({ ports, access, signal }, path, place.directory);
  const was =
    found === undefined
      ? `Updates of ${code(name)} were not paused.`
      : `Updates of ${code(name)} are resumed.`;
  return { kind: 'done', reply: was };
}

/** A group goes on without it, or with it again; and the open update says that it is paused, or is no more. */
async function lookAgain(
  { ports, access: { forge, ref }, signal }: RepositoryWork,
  path: string,
  directory: RepositoryDirectory,
): Promise<void> {
  const updates = (await forge.listOpenPulls(signal)).filter(({ headRef }) => {
    const parsed = parseBranch(headRef);
    if (parsed?.kind !== 'update') return false;
    return parsed.path === directory || groupOfBranch(headRef) !== undefined;
  });
  await ports.enqueue([variantJob(ref, path), ...updates.map((pull) => pullJob(ref, pull))]);
}

async function packageOnBranch(
  access: RepositoryAccess,
  asked: Pick<CommandRequest, 'from'>,
  path: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly directory: RepositoryDirectory; readonly head: string } | StepOutcome> {
  const { git } = access;
  const found = await openRegistered(access, { isFetched: true }, signal);
  const { config, head } = found.kind === 'registered' ? found : { config: undefined, head: null };
  const directory = pathInRepository(config?.directory ?? TOP, path);
  const kptfile = head === null ? null : (await readKptfileAt(git, head, directory, signal)).kptfile;
  if (head === null || kptfile === null) {
    const there = head === null ? [] : await rootPackages({ git }, head, config?.directory ?? TOP, signal);
    const names = there.map((one) => nameWhereAsked(asked, one.path));
    const { message, hint } = noSuchPackage(
      nameWhereAsked(asked, path),
      'on the registered branch',
      names,
      'Name a package on the registered branch.',
    );
    return { kind: 'refused', message, hint };
  }
  if (kptfile.upstream !== undefined || kptfile.upstreamLock !== undefined) return { directory, head };
  if ((await git.readFile(head, fileIn(directory, SOURCES_FILE), signal)) !== null)
    return { directory, head };
  return {
    kind: 'refused',
    message: `${code(nameWhereAsked(asked, path))} has neither an upstream nor sources, so it gets no updates.`,
    hint: 'Only a package that was cloned from another one, or takes content from elsewhere, gets updates.',
  };
}

/**
 * The ref is not where this command put it. Where somebody else was faster the command runs again, on what the ref holds then.
 *
 * @throws PorticoError `REF_MOVED`
 */
function notMoved(ref: string, rejected: readonly RejectedRef[]): StepOutcome {
  const final = rejected.find((one) => !wasOvertaken(one));
  if (final === undefined) throw refMoved(ref);
  return { kind: 'failed', ...pushRefusal(ref, final, ALLOW_RECORDS) };
}
