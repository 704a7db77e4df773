/**
 * Updates of a package that somebody paused: the ref `refs/portico/paused/<path>/updates` stands for it, an annotated
 * tag that says who and when. It is fetched with everything else, and nobody without write access can make one.
 */
import { noSuchPackage } from '../command/not-found.ts';
import type { Step } from '../command/step.ts';
import { pathInRepository } from '../revision/package-path.ts';
import { pausedRef } from '../revision/ref-name.ts';
import type { Asked, StepOutcome } from './command-steps.ts';
import { loadConfiguration } from './configuration.ts';
import type { Git } from './git-port.ts';
import { variantJob } from './jobs.ts';
import { readKptfileAt } from './kptfile-at.ts';
import { code } from './markdown-blocks.ts';
import { refPath } from './package-revisions.ts';
import type { Access, World } from './ports.ts';
import { rootPackages } from './proposal-snapshot.ts';
import { botPerson } from './render-commit.ts';

/** Who paused the updates of the package in a directory from the top of the repository; null where nobody did. */
export async function pausedBy(git: Git, directory: string, signal?: AbortSignal): Promise<string | null> {
  const ref = pausedRef(refPath(directory));
  const found = (await git.refs(ref, signal)).get(ref);
  if (found === undefined) return null;
  const said = await git.tag(found.oid, signal);
  return /^Paused-By: ([A-Za-z0-9_-]{1,80})$/m.exec(said?.message ?? '')?.[1] ?? 'somebody';
}

export async function pauseUpdates(
  world: World,
  access: Access,
  asked: Asked,
  { package: path, login }: Extract<Step, { do: 'pause-updates' }>,
  signal?: AbortSignal,
): Promise<StepOutcome> {
  const { git } = access;
  const place = await packageOnBranch(access, path, signal);
  if ('kind' in place) return place;
  const already = await pausedBy(git, place.directory, signal);
  if (already !== null) {
    return { kind: 'done', reply: `Updates of ${code(path)} are paused already, by ${code(already)}.` };
  }
  const ref = pausedRef(refPath(place.directory));
  const tag = await git.writeTag(
    {
      name: ref.slice('refs/'.length),
      object: place.head,
      message: `Updates of ${path} are paused\n\nPaused-By: ${login}\nRequested-In: #${asked.number}\n`,
      tagger: botPerson(world.app),
      date: new Date(asked.at),
    },
    signal,
  );
  const answer = await git.push([{ ref, to: tag, expect: null }], signal);
  const taken =
    !answer.ok && answer.rejected.every(({ reason }) => reason !== 'exists' && reason !== 'stale');
  if (taken) return pushRefused(ref);
  // A group goes on without it.
  await world.enqueue(variantJob(access.ref, path));
  return {
    kind: 'done',
    reply: `Updates of ${code(path)} are paused. \`/portico resume ${path}\` lets them come again; \`/portico update\` still moves it.`,
  };
}

export async function resumeUpdates(
  world: World,
  access: Access,
  { package: path }: Extract<Step, { do: 'resume-updates' }>,
  signal?: AbortSignal,
): Promise<StepOutcome> {
  const { git, ref: repository } = access;
  const place = await packageOnBranch(access, path, signal);
  if ('kind' in place) return place;
  const ref = pausedRef(refPath(place.directory));
  const found = (await git.refs(ref, signal)).get(ref);
  if (found !== undefined) {
    const answer = await git.push([{ ref, to: null, expect: found.oid }], signal);
    const refused =
      !answer.ok && answer.rejected.every(({ reason }) => reason !== 'exists' && reason !== 'stale');
    if (refused) return pushRefused(ref);
  }
  // Also where it was not paused: the command may be running for the second time.
  await world.enqueue(variantJob(repository, path));
  const was =
    found === undefined
      ? `Updates of ${code(path)} were not paused.`
      : `Updates of ${code(path)} come again.`;
  return { kind: 'done', reply: was };
}

async function packageOnBranch(
  { git, forge }: Access,
  path: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly directory: string; readonly head: string } | StepOutcome> {
  const configuration = await loadConfiguration(git, (await forge.get(signal)).defaultBranch, signal);
  const config = configuration.state === 'registered' ? configuration.config : null;
  const head = config === null ? null : await git.resolve(`refs/heads/${config.branch}`, signal);
  const inRepository = pathInRepository(config?.directory ?? '.', path);
  const directory = inRepository === '.' ? '' : inRepository;
  const kptfile = head === null ? null : (await readKptfileAt(git, head, directory, signal)).kptfile;
  if (head === null || kptfile === null) {
    const there = head === null ? [] : await rootPackages({ git }, head, config?.directory ?? '.', signal);
    const names = there.map((one) => refPath(one.path));
    const { message, hint } = noSuchPackage(path, 'on the registered branch', names, 'Name one that is.');
    return { kind: 'refused', message, hint };
  }
  if (kptfile.upstream !== undefined || kptfile.upstreamLock !== undefined) return { directory, head };
  return {
    kind: 'refused',
    message: `${code(path)} has no upstream, so no updates come.`,
    hint: 'Only a package that was cloned from another is updated.',
  };
}

function pushRefused(ref: string): StepOutcome {
  return {
    kind: 'failed',
    message: `The forge refused to move ${code(ref)}.`,
    hint: 'Let the App write refs below refs/portico/.',
  };
}
