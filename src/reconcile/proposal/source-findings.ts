/**
 * The packages of a proposal that take content from elsewhere: what is committed has to be what the lock pins, and what the
 * processors make of it. It is fetched and made again; what someone wrote into a lock is believed of nothing.
 */
import { sameFile, type PackageFiles } from '../../package/package.ts';
import { SOURCES_FILE, SOURCES_LOCK_FILE } from '../../package/sources/source-files.ts';
import { digestOf } from '../../revision/digest.ts';
import { fileIn } from '../../revision/package-path.ts';
import type { PackageSourceFindings } from '../check/sources-check.ts';
import type { FileChanges } from '../git-port.ts';
import type { RepositoryWork } from '../ports.ts';
import type { LoadedGuardrails } from '../render/guardrails.ts';
import { packageRenderer } from '../render/rendered-package.ts';
import { sourceSetting, TARGETS } from '../render/source-setting.ts';
import { filesAt } from '../repository/package-files.ts';
import type { ProposalPackage, ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import type { PackageSources, SourceProblem, SourcesReading, SourceStanding } from '../source-port.ts';
import { keepNewest } from '../text/keep-newest.ts';
import { remadeFiles } from './remade-sources.ts';

/** What was found of the same content, with the same configuration. */
export type SourceMemory = Map<string, PackageSourceFindings>;

const MAX_REMEMBERED = 500;

interface Looked extends RepositoryWork {
  readonly snapshot: Pick<ProposalSnapshot, 'config' | 'base' | 'mergeBase' | 'packages' | 'writable'>;
  readonly guardrails: LoadedGuardrails;
  /** Commit that holds the rendered packages. */
  readonly head: string;
  readonly memory: SourceMemory;
  /** Somebody asked for checks once more. */
  readonly again: boolean;
}

/** Of each package with sources; none where no package has any. */
export async function sourceFindings(looked: Looked): Promise<readonly PackageSourceFindings[]> {
  const { ports, access, snapshot, guardrails, head, memory, again, signal } = looked;
  const found: PackageSourceFindings[] = [];
  for (const touched of snapshot.packages) {
    if (touched.trees.head === null || !(await hasSources(looked, touched))) continue;
    const [now, before, targets] = await Promise.all([
      access.git.treeId(head, touched.directory, signal),
      access.git.treeId(snapshot.mergeBase, touched.directory, signal),
      access.git.treeId(snapshot.base, TARGETS, signal),
    ]);
    const origin = [access.ref.owner, touched.path, snapshot.writable, ports.runtimeVersion];
    const beside = snapshot.packages.map(({ path, trees }) => [path, trees.mergeBase, trees.head]);
    const state = [now, before, targets, guardrails.digest, beside];
    const key = digestOf('portico sources check 2', [...state, ...origin]);
    const known = again ? undefined : memory.get(key);
    const findings = known ?? (await findingsOf(looked, touched));
    // A host that does not answer now may answer the next time.
    const { remade: _remade, ...lasting } = findings;
    if (!('isPassing' in findings)) keepNewest(memory, key, lasting, MAX_REMEMBERED);
    found.push(findings);
  }
  return found;
}

async function hasSources(
  { access, head, signal }: Looked,
  { directory }: ProposalPackage,
): Promise<boolean> {
  for (const file of [SOURCES_FILE, SOURCES_LOCK_FILE]) {
    if ((await access.git.readFile(head, fileIn(directory, file), signal)) !== null) return true;
  }
  return false;
}

type Findings = PackageSourceFindings & { readonly isPassing?: true };

async function findingsOf(looked: Looked, touched: ProposalPackage): Promise<Findings> {
  const { ports, access, snapshot, head, signal } = looked;
  const { path, directory } = touched;
  const files = await filesAt(access.git, head, directory, signal);
  const before = await filesAt(access.git, snapshot.mergeBase, directory, signal);
  const { sources } = ports;
  const place = { path, directory, sources: 0, failures: [], warnings: [], text: '' };
  if (sources === undefined) return { ...place, problems: [problem('nothing fetches sources here', HOST)] };
  const reading = await sources.read(files, signal);
  if (reading.kind === 'none') return { ...place, problems: [problem(NO_DOCUMENT, ORPHAN)] };
  if (reading.kind === 'problems') return { ...place, problems: reading.problems };
  const count = reading.sources.length;
  const directories = reading.sources.map(({ destination }) => destination);
  const others = await changedBeside(looked, touched);
  const report = await sources.report({ path, before, after: files, directories, others }, signal);
  const { failures, warnings, text } = report;
  const findings = { ...place, sources: count, failures, warnings, text };
  const unlocked = await unlockedOf(looked, sources, { reading, before });
  if (unlocked.length > 0) return { ...findings, problems: unlocked };
  const verified = await verify(looked, touched, { files, reading });
  return { ...findings, ...verified };
}

/** Packages whose objects are looked at for some that change their owner. */
const MAX_BESIDE = 20;

async function changedBeside(
  { access: { git }, snapshot: { packages, mergeBase }, head, signal }: Looked,
  touched: ProposalPackage,
): Promise<readonly { path: string; before: PackageFiles; after: PackageFiles }[]> {
  const others = packages.filter(({ directory }) => directory !== touched.directory).slice(0, MAX_BESIDE);
  return await Promise.all(
    others.map(async ({ path, directory }) => ({
      path,
      before: await filesAt(git, mergeBase, directory, signal),
      after: await filesAt(git, head, directory, signal),
    })),
  );
}

const HOST = 'Ask the operator of Portico.';
const SYNC = 'Run portico sources sync and commit what it writes.';
const NO_DOCUMENT = `there is no ${SOURCES_FILE} to this lock`;
const ORPHAN = 'Remove the lock, or restore the document.';

/** What nothing is fetched for: it is not pinned, or a stranger pins it. */
async function unlockedOf(
  { snapshot, signal }: Looked,
  sources: PackageSources,
  {
    reading,
    before,
  }: { readonly reading: Extract<SourcesReading, { kind: 'sources' }>; readonly before: PackageFiles },
): Promise<readonly SourceProblem[]> {
  const { hasLock, sources: all, outputs } = reading;
  if (!hasLock && all.length + outputs.length > 0) {
    return [problem(`there is no ${SOURCES_LOCK_FILE}: nothing is pinned`, SYNC)];
  }
  const loose = all.filter(({ pinned }) => pinned === undefined);
  if (loose.length > 0) return loose.map(({ id }) => problem(`${id} is not in the lock`, SYNC));
  if (snapshot.writable) return [];
  const read = await sources.read(before, signal);
  const known = new Set(read.kind === 'sources' ? read.sources.map(fetchedOf) : []);
  return all
    .filter((one) => !known.has(fetchedOf(one)))
    .map(({ id }) =>
      problem(`${id} comes from, or is pinned to, something new by a proposal from a fork`, FORK),
    );
}

/** All that says what is asked for, and of whom: a lock may name what it did before, and the document another host. */
function fetchedOf({ originDigest, pinned }: SourceStanding): string {
  return JSON.stringify([originDigest, pinned?.resolved, pinned?.version]);
}

const FORK =
  'Portico fetches nothing that a fork names. Someone with write access has to bring it from a branch of this repository.';

interface Verified {
  readonly problems: readonly SourceProblem[];
  readonly isPassing?: true;
  readonly remade?: FileChanges;
}

async function verify(
  looked: Looked,
  { path, directory }: ProposalPackage,
  {
    files,
    reading,
  }: { readonly files: PackageFiles; readonly reading: Extract<SourcesReading, { kind: 'sources' }> },
): Promise<Verified> {
  const { ports, access, snapshot, guardrails, head, signal } = looked;
  const { config, base, mergeBase, writable } = snapshot;
  const { git } = access;
  const setting = await sourceSetting(ports, access, { loaded: guardrails, base, writable }, signal);
  const made = await ports.sources?.verify(files, setting, signal);
  if (made === undefined) return { problems: [] };
  if (made.kind === 'refused') {
    const problems = [
      problem(`the sources cannot be verified: ${made.message}`, made.hint, SOURCES_LOCK_FILE),
    ];
    return { problems, ...(made.isPassing && { isPassing: true }) };
  }
  const { differences } = made;
  if (differences.length === 0 && differing(made.files, files) === undefined) return { problems: [] };
  // Functions of the package may change what processors made: it is held against what they make of it again.
  const render = await packageRenderer(ports, { git, config, base, path, writable }, signal);
  const rendered = (await render(made.files)).files;
  const other = differing(rendered, files);
  if (differences.length === 0 && other === undefined) return { problems: [] };
  const range = { from: mergeBase, to: await git.commit(head, signal) };
  const remade = writable
    ? await remadeFiles({
        seals: ports.seals,
        git,
        range,
        directory,
        reading,
        files,
        made: rendered,
        signal,
      })
    : undefined;
  const problems =
    differences.length > 0
      ? differences.map((text) => problem(text, SYNC, SOURCES_LOCK_FILE))
      : [problem('this is not what the sources and processors make', SYNC, other)];
  return { problems, ...(remade && { remade }) };
}

/** The first file that is not the same in both. */
function differing(made: PackageFiles, files: PackageFiles): string | undefined {
  return [...new Set([...made.keys(), ...files.keys()])]
    .toSorted()
    .find((path) => !sameFile(made.get(path), files.get(path)));
}

function problem(message: string, hint: string, file: string = SOURCES_FILE): SourceProblem {
  return { file, line: 1, column: 1, message, hint };
}
