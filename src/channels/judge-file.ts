/** A channel file as a whole: what it says, and which rules it breaks. Anybody may have written it. */
import { repositoryDirectory } from '../revision/package-path.ts';
import type { ChannelProblem } from './channels-node.ts';
import { checkChannels } from './check-channels.ts';
import type { PackageChannels } from './package-channels.ts';
import { readPackageChannels } from './read-channels.ts';

/** Below it every package may have a file that is named as its path, with `.yaml`. */
export const CHANNELS_FOLDER = repositoryDirectory('.github/portico/channels');

/** Where the channels of a package stand. */
export function channelFileOf(packagePath: string): string {
  return `${CHANNELS_FOLDER}/${packagePath}.yaml`;
}

/** The package whose channels a file is for; undefined for any other file. */
export function packageOfChannelFile(file: string): string | undefined {
  if (!file.startsWith(`${CHANNELS_FOLDER}/`) || !file.endsWith('.yaml')) return undefined;
  return file.slice(CHANNELS_FOLDER.length + 1, -'.yaml'.length);
}

/** What the file alone does not say; plain data, because files are judged in another process. */
export interface ChannelFileFacts {
  /** The package that the file is for. */
  readonly path: string;
  /** Numbers of the revisions that have a tag. */
  readonly published: readonly number[];
  /** Revision → downstreams that are at it. */
  readonly pinned?: readonly (readonly [revision: number, downstreams: readonly string[]])[];
  /** Set where members count that their `promotion.from` does not have: a label allows it, or it is merged already. */
  readonly hotfix?: boolean;
  /** The file as it was before, where there was one. */
  readonly before?: string;
}

export interface JudgedChannels {
  /** As far as it could be read; absent for what is no such document at all. */
  readonly channels?: PackageChannels;
  /** By line, then by rule. */
  readonly problems: readonly ChannelProblem[];
  /** What the file said before. */
  readonly before?: PackageChannels;
}

/** Reads and judges one file. Never throws for what is in it. */
export function judgeChannelFile(text: string, facts: ChannelFileFacts): JudgedChannels {
  const { channels, problems } = readPackageChannels(text);
  const before = facts.before === undefined ? undefined : readPackageChannels(facts.before).channels;
  const judged =
    channels === undefined
      ? []
      : checkChannels(channels, {
          path: facts.path,
          published: new Set(facts.published),
          ...(before && { before }),
          ...(facts.hotfix && { hotfix: true }),
          ...(facts.pinned && { pinned: new Map(facts.pinned) }),
        });
  return {
    ...(channels && { channels }),
    ...(before && { before }),
    problems: [...problems, ...judged].sort((a, b) => a.line - b.line || (a.rule < b.rule ? -1 : 1)),
  };
}

/** True where the file may come into force. */
export function isSound({ channels, problems }: JudgedChannels): boolean {
  return channels !== undefined && problems.every(({ severity }) => severity !== 'error');
}
