/** Commits of people on the branch of an update of sources: what processors make follows from what people changed. */
import { sameFiles } from '../../package/package.ts';
import { SOURCES_LOCK_FILE } from '../../package/sources/source-files.ts';
import { fileIn } from '../../revision/package-path.ts';
import type { Downstream } from '../downstream/downstream.ts';
import type { Withheld } from '../downstream/update-target.ts';
import type { Ports } from '../ports.ts';
import { hasPeoplesFiles } from './peoples-files.ts';
import { replayHumanCommits, type DesiredPackage, type HumanCommitRange, type Replayed } from './replay.ts';
import { remadePackage } from './source-update.ts';

interface ReplayRequest {
  readonly ports: Ports;
  readonly down: Downstream;
  /** Commits of the branch. */
  readonly range: { readonly from: string; readonly to: string };
  readonly ranges: readonly HumanCommitRange[];
  readonly wish: DesiredPackage;
  readonly signal: AbortSignal | undefined;
}

/**
 * As `replayHumanCommits`; of a package with sources, processors run again on what people changed, and where they refuse it, the answer
 * says why. Where people changed what processors write, that is merged like everything else, and nothing is run.
 */
export async function replayOnUpdate(request: ReplayRequest): Promise<Replayed | null | Withheld> {
  const { ports, down, ranges, wish, signal } = request;
  const { git } = down.access;
  const isDerived = await derivedBy(request);
  const derived = isDerived && { isDerived };
  const under = await replayHumanCommits({ ports, git, ranges, wish: { ...wish, ...derived }, signal });
  if (under === null || isDerived === undefined || sameFiles(under.files, wish.files)) return under;
  const files = await remadePackage(ports, down, under.files, signal);
  return 'kind' in files ? files : { ...under, files };
}

/** Which files follow from the others; undefined where none do, or people changed one of those. */
async function derivedBy({
  ports: { seals, sources },
  down,
  range,
  wish,
  signal,
}: ReplayRequest): Promise<((path: string) => boolean) | undefined> {
  const { access, directory, renewal } = down;
  const reading = renewal === undefined ? undefined : await sources?.read(wish.files, signal);
  if (reading?.kind !== 'sources') return undefined;
  const { outputs } = reading;
  const paths = [SOURCES_LOCK_FILE, ...outputs].map((path) => fileIn(directory, path));
  if (await hasPeoplesFiles({ seals, git: access.git, range, paths, signal })) return undefined;
  return (path) => path === SOURCES_LOCK_FILE || outputs.some((output) => path.startsWith(`${output}/`));
}
