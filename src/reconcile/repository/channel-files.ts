/** The channel files of a repository, as they count: the registered branch decides. */
import type { ChannelProblem } from '../../channels/channels-node.ts';
import {
  channelFileOf,
  CHANNELS_FOLDER,
  isSound,
  packageOfChannelFile,
  type ChannelFileFacts,
  type JudgedChannels,
} from '../../channels/judge-file.ts';
import { numberOf } from '../../channels/offer.ts';
import type { PackageChannels } from '../../channels/package-channels.ts';
import { digestOf } from '../../revision/digest.ts';
import { pathInRepository, type RepositoryDirectory } from '../../revision/package-path.ts';
import type { Git } from '../git-port.ts';
import type { Ports } from '../ports.ts';
import { keepNewest } from '../text/keep-newest.ts';
import { catchUserError } from '../text/why-refused.ts';
import { publishedRefs, tagOf, taggedRevisions, type RevisionRefs } from './package-revisions.ts';

/** How many changes of a file are looked at for the last good one. */
const HISTORY = 50;
/** Of a repository; more than any has packages with channels. */
const MAX_CHANNEL_FILES = 2_000;

/** What stands in a package's channel file, and what of it is in force. */
export interface PackageChannelState {
  readonly file: string;
  /**
   * The newest version without mistakes. Absent where there is none, or where the newest names a revision whose tag is gone:
   * then nothing is offered by channels, because nobody knows what was meant.
   */
  readonly document?: PackageChannels;
  /** Of the newest version; warnings too. */
  readonly problems: readonly ChannelProblem[];
}

/** Where channel files are read, and with which revisions they are compared. */
export interface ChannelPlace {
  readonly git: Git;
  /** Head of the registered branch. */
  readonly head: string;
  readonly refs: RevisionRefs;
  /** The registered directory, '.' for the top. */
  readonly registered: RepositoryDirectory;
}

/** The channels of one package, by its path below the registered directory; null where it has no file. */
export async function packageChannels(
  { content }: Pick<Ports, 'content'>,
  place: ChannelPlace,
  path: string,
  signal?: AbortSignal,
): Promise<PackageChannelState | null> {
  const { git, head } = place;
  const file = channelFileOf(path);
  if ((await git.treeId(head, CHANNELS_FOLDER, signal)) === null) return null;
  const facts = { path, published: publishedNumbers(place, path), hotfix: true };
  const newest = await judgedAt({ content, git }, head, facts, signal);
  if (newest === null) return null;
  const { problems } = newest;
  if (isSound(newest)) return { file, ...(newest.channels && { document: newest.channels }), problems };
  if (problems.some(({ rule }) => rule === 'C06')) return { file, problems };
  const history = await git.log({ to: head }, { path: file, limit: HISTORY, firstParent: true }, signal);
  for (const { oid } of history.slice(1)) {
    const older = await judgedAt({ content, git }, oid, facts, signal);
    if (older !== null && isSound(older))
      return { file, ...(older.channels && { document: older.channels }), problems };
  }
  return { file, problems };
}

/** All packages that have a channel file, by their paths. */
export async function allChannels(
  ports: Pick<Ports, 'content'>,
  place: ChannelPlace,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, PackageChannelState>> {
  const found = new Map<string, PackageChannelState>();
  for (const path of await packagesWithChannels(place, signal)) {
    const state = await packageChannels(ports, place, path, signal);
    if (state !== null) found.set(path, state);
  }
  return found;
}

async function packagesWithChannels(
  { git, head }: ChannelPlace,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  if ((await git.treeId(head, CHANNELS_FOLDER, signal)) === null) return [];
  const folder = await git.readPackage(head, CHANNELS_FOLDER, {}, signal);
  return [...(folder?.files.keys() ?? [])]
    .flatMap((name) => packageOfChannelFile(`${CHANNELS_FOLDER}/${name}`) ?? [])
    .sort()
    .slice(0, MAX_CHANNEL_FILES);
}

/**
 * Numbers of a package's revisions that have their tag where it was published; revisions by SemVer have none. One whose tag was moved by
 * hand counts as without: nobody knows which content is meant.
 */
export function publishedNumbers({ refs, registered }: ChannelPlace, path: string): readonly number[] {
  const directory = pathInRepository(registered, path);
  return taggedRevisions(refs, directory).flatMap(({ name }) => {
    const published = refs.ledger.get(publishedRefs(directory, name).ledger)?.commit;
    const isMoved = published !== undefined && tagOf(refs, directory, name)?.commit !== published;
    return isMoved ? [] : (numberOf(name) ?? []);
  });
}

type Reader = Pick<ChannelPlace, 'git'> & Pick<Ports, 'content'>;

/** The file at a commit, judged; null where it is not there. What was judged is not judged again. */
async function judgedAt(
  { git, content }: Reader,
  commit: string,
  facts: ChannelFileFacts,
  signal: AbortSignal | undefined,
): Promise<JudgedChannels | null> {
  return catchUserError(
    async (): Promise<JudgedChannels | null> => {
      const bytes = await git.readFile(commit, channelFileOf(facts.path), signal);
      if (bytes === null) return null;
      const text = new TextDecoder().decode(bytes);
      const key = digestOf('portico channels 1', [text, facts.path, facts.published]);
      const before = known.get(key);
      if (before !== undefined) return before;
      const judged = await content.channels(text, facts, signal);
      if (text.length <= MAX_REMEMBERED) keepNewest(known, key, judged, MAX_KNOWN);
      return judged;
    },
    (message): JudgedChannels => ({ problems: [{ rule: 'C00', line: 1, message, severity: 'error' }] }),
  );
}

/** What was judged, by its content: every update of a package asks for it. */
const known = new Map<string, JudgedChannels>();
/** Channel files that are remembered, parsed, by their blob. */
const MAX_KNOWN = 500;
/** Characters; longer files are judged again each time. */
const MAX_REMEMBERED = 64 * 1024;
