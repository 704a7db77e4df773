/** Packages whose sources lead to something newer: what is due, and the package with it. */

import type { PackageFiles } from '../../package/package.ts';
import { SOURCES_FILE } from '../../package/sources/source-files.ts';
import { fileIn, pathInRepository, type RepositoryDirectory } from '../../revision/package-path.ts';
import { updateBranch } from '../../revision/ref-name.ts';
import type { Downstream, DownstreamRepository } from '../downstream/downstream.ts';
import { renewalOf } from '../downstream/source-renewal.ts';
import { withheld, type Withheld } from '../downstream/update-target.ts';
import type { Wanted } from '../merge/update-content.ts';
import type { Ports } from '../ports.ts';
import { loadGuardrails } from '../render/guardrails.ts';
import { packageRenderer } from '../render/rendered-package.ts';
import { sourceSetting } from '../render/source-setting.ts';
import { filesAt } from '../repository/package-files.ts';
import { loadRevisionRefs, taggedRevisions, tagOf } from '../repository/package-revisions.ts';
import { pauseOf } from '../repository/pause.ts';
import { provenanceOf } from '../repository/tag-provenance.ts';
import type { SourcePin, SourceRefusal, SourcesReading } from '../source-port.ts';
import { foreignSentence } from '../text/markdown-blocks.ts';
import { pausedUpdates, type Decided } from './decision.ts';

/** What the update branch of the sources of a package is named by. */
const SOURCES = 'sources';

/** Branch of the update of a package's sources, where it is updated alone. */
export function sourcesBranch(directory: RepositoryDirectory): string {
  return updateBranch(directory, SOURCES);
}

/**
 * A package as far as its sources are concerned: asks where they lead now, or where the versions are that somebody `asked` for. Null
 * where it takes nothing from elsewhere, or nothing that could be newer.
 */
export async function sourceUpdateIn(
  ports: Pick<Ports, 'sources' | 'now'>,
  downstreamRepository: DownstreamRepository,
  { path, asked }: { readonly path: string; readonly asked?: string | undefined },
  signal?: AbortSignal,
): Promise<Downstream | Withheld | null> {
  const { access, config, facts, base } = downstreamRepository;
  const { sources } = ports;
  const directory = pathInRepository(config.directory, path);
  const file = fileIn(directory, SOURCES_FILE);
  if (sources === undefined || (await access.git.readFile(base.oid, file, signal)) === null) return null;
  const files = await filesAt(access.git, base.oid, directory, signal);
  const reading = await sources.read(files, signal);
  if (reading.kind === 'none') return null;
  if (reading.kind === 'problems') {
    const [first] = reading.problems;
    return withheld(
      'unreadable',
      `${first?.file ?? SOURCES_FILE}, line ${first?.line ?? 1}: ${first?.message ?? 'it cannot be read'}.`,
    );
  }
  const paused = asked === undefined ? sourcesPause(reading, ports.now()) : null;
  if (paused !== null) return paused;
  const wishes = asked === undefined || asked === 'latest' ? undefined : readWishes(asked);
  const pins = new Map<string, SourcePin>();
  for (const { id, isImmutable, pinned } of reading.sources) {
    // What leads nowhere else tomorrow is asked only where nothing is pinned yet.
    if (isImmutable && pinned !== undefined) continue;
    const version = wishes === undefined ? undefined : (wishes.get(id) ?? wishes.get(''));
    if (wishes !== undefined && version === undefined) continue;
    const place = { owner: access.ref.owner, files, id };
    const found = await sources.resolve({ ...place, ...(version !== undefined && { version }) }, signal);
    if (!('code' in found)) pins.set(id, found);
    else if (version === undefined || found.code !== 'SOURCE_NO_VERSION')
      return refusal(`The source ${id} could not be looked up`, found);
  }
  if (wishes !== undefined && pins.size === 0) {
    return withheld(
      'no-such-revision',
      foreignSentence(`No source has a version ${asked} in the range that ${SOURCES_FILE} says`),
    );
  }
  const renewal = renewalOf(reading.sources, pins, wishes !== undefined);
  const none = new Map();
  return {
    access,
    facts,
    config,
    base,
    path,
    directory,
    upstream: {
      access,
      refs: { tags: none, ledger: none },
      directory,
      lock: { repo: '', directory, ref: '', commit: '' },
      current: renewal.current,
      baseCommit: null,
      newest: undefined,
    },
    upstreamName: `the sources of ${directory}`,
    upstreamUrl: facts.htmlUrl,
    visible: true,
    channels: null,
    branch: sourcesBranch(directory),
    exists: true,
    fresh: false,
    renewal,
  };
}

/** `1.2.0` is about every source that has it, `chart@1.2.0` about one, and `chart@1.2.0 crds@2.0.0` about two; by id, '' for all. */
function readWishes(asked: string): ReadonlyMap<string, string> {
  return new Map(
    asked.split(' ').map((word): [string, string] => {
      const at = word.indexOf('@');
      return at < 0 ? ['', word] : [word.slice(0, at), word.slice(at + 1)];
    }),
  );
}

/** A pause that the document says, until the time that it says; null where it says none. */
export function sourcesPause(
  { paused }: Extract<SourcesReading, { kind: 'sources' }>,
  now: Date,
): Withheld | null {
  if (paused === undefined) return null;
  const until = paused.until === undefined ? Number.NaN : Date.parse(paused.until);
  if (!Number.isNaN(until) && until <= now.getTime()) return null;
  const end = paused.until === undefined ? '' : ` until ${paused.until}`;
  return withheld('paused', `${SOURCES_FILE} pauses updates of its sources${end}: ${paused.reason}`);
}

/** Which state of its sources a package should be at, or why it is left where it is. */
export async function decideSources(
  ports: Pick<Ports, 'seals' | 'sources'>,
  down: Downstream,
  isAsked: boolean,
  signal?: AbortSignal,
): Promise<Decided | Withheld> {
  const { access, directory, renewal } = down;
  const paused = isAsked ? null : ((await pauseOf(ports, access, directory, signal))?.by ?? null);
  if (paused !== null) return pausedUpdates(down, paused);
  const { steps = [], moved = [], older = [], to = '' } = renewal ?? {};
  if (steps.length > 0) {
    const back = isAsked ? null : await takenBack(ports, down, to, signal);
    return back ?? { kind: 'decided', to, asked: isAsked };
  }
  const [other] = moved;
  if (other !== undefined) {
    return withheld(
      'source-changed',
      `The publisher of ${other.id} gave ${other.to.version ?? 'its version'} other content (${other.to.resolved}) than the lock pins (${other.from?.resolved ?? ''}). The lock stays. If that is right, run portico sources sync --update ${other.id}.`,
    );
  }
  const [back] = older;
  if (back === undefined) return withheld('up-to-date', 'Its sources lead to nothing newer.');
  return withheld(
    'ahead',
    `${back.id} is at ${back.from?.version ?? ''}; the newest version in its range is ${back.to.version ?? ''}, which is older.`,
  );
}

/** What the package was restored from is not brought again: its sources stay where they are until there is something newer. */
async function takenBack(
  { sources }: Pick<Ports, 'sources'>,
  { access: { git }, directory }: Downstream,
  to: string,
  signal: AbortSignal | undefined,
): Promise<Withheld | null> {
  const refs = await loadRevisionRefs(git, signal);
  const names = taggedRevisions(refs, directory).map(({ name }) => name);
  const newest = names.at(-1);
  if (newest === undefined) return null;
  const restored = (await provenanceOf({ git, refs, directory, revision: newest, signal }))?.restoredFrom;
  if (restored === undefined) return null;
  for (const name of names.slice(names.indexOf(restored) + 1, -1).slice(-MAX_TAKEN_BACK)) {
    const commit = tagOf(refs, directory, name)?.commit;
    if (commit === undefined) continue;
    const reading = await sources?.read(await filesAt(git, commit, directory, signal), signal);
    if (reading?.kind !== 'sources' || renewalOf(reading.sources, new Map()).current !== to) continue;
    const message = `${name} had ${to}, and ${newest} restored ${restored} in its place. Whatever is newer is proposed again. To bring this one, run portico sources sync --update.`;
    return withheld('declined', message);
  }
  return null;
}

/** Revisions between what was restored and the newest that are compared. */
const MAX_TAKEN_BACK = 10;

/** Pure: why a source brings nothing. Publishers name their versions, which may be told in it, and comments are made of it. */
export function refusal(
  what: string,
  { isPassing, message, hint }: Pick<SourceRefusal, 'message' | 'hint'> & { readonly isPassing: boolean },
): Withheld {
  const reason = isPassing ? 'upstream-unreachable' : 'source-refused';
  return withheld(reason, foreignSentence(`${what}: ${message}. ${hint}`));
}

/** The package with its processors run again, because people changed what they read: what the lock pins stays. */
export async function remadePackage(
  ports: Pick<Ports, 'sources' | 'runtime' | 'content'>,
  { access, base, config, path }: Downstream,
  files: PackageFiles,
  signal?: AbortSignal,
): Promise<PackageFiles | Withheld> {
  const { git } = access;
  const loaded = await loadGuardrails({ git, config, base: base.oid, now: null, signal });
  const setting = await sourceSetting(ports, access, { loaded, base: base.oid }, signal);
  const made = await ports.sources?.renew(files, new Map(), setting, signal);
  if (made === undefined) return files;
  if (made.kind === 'refused')
    return refusal('With what people changed on the branch, the new version cannot be used', made);
  const render = await packageRenderer(ports, { git, config, base: base.oid, path }, signal);
  return (await render(made.files)).files;
}

/** The package with its sources where they lead now, processed and rendered. */
export async function renewedPackage(
  ports: Pick<Ports, 'sources' | 'runtime' | 'content'>,
  { access, base, config, directory, path, renewal }: Downstream,
  to: string,
  signal?: AbortSignal,
): Promise<Wanted | Withheld> {
  const { git } = access;
  const { sources } = ports;
  const local = await filesAt(git, base.oid, directory, signal);
  const pins = new Map((renewal?.steps ?? []).map((step) => [step.id, step.to]));
  const loaded = await loadGuardrails({ git, config, base: base.oid, now: null, signal });
  const setting = await sourceSetting(ports, access, { loaded, base: base.oid }, signal);
  const made = await sources?.renew(local, pins, setting, signal);
  if (made === undefined) return withheld('source-refused', 'Nothing fetches sources here.');
  if (made.kind === 'refused') {
    const { reason, message } = refusal(`${to} cannot be used`, made);
    return withheld(reason, `${message} The package stays as it is.`);
  }
  const render = await packageRenderer(ports, { git, config, base: base.oid, path }, signal);
  const { files } = await render(made.files);
  const directories = (renewal?.steps ?? []).map(({ destination }) => destination);
  const report = await sources?.report({ path, before: local, after: files, directories }, signal);
  return {
    to,
    local,
    files,
    conflicts: [],
    ...(report && { source: { ...report, left: made.notes } }),
  };
}
