/** Promotions that Portico proposes by itself: those whose gates have opened, and those that the bundle of an operator asks for. */
import type { CatalogPackage } from '../../catalog/catalog.ts';
import { graphOf } from '../../channels/channel-graph.ts';
import { channelNameFor } from '../../channels/channel-name.ts';
import { channelGraphInput } from '../../channels/check-channels.ts';
import type { OperatorEntry } from '../../channels/operator-entry.ts';
import type { PackageChannels } from '../../channels/package-channels.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { packagePathOf, pathInRepository, type RepositoryDirectory } from '../../revision/package-path.ts';
import { channelBranch } from '../../revision/ref-name.ts';
import { repositorySweepJob } from '../jobs.ts';
import type { Ports, RepositoryAccess } from '../ports.ts';
import {
  publishedNumbers,
  type ChannelPlace,
  type PackageChannelState,
} from '../repository/channel-files.ts';
import type { AskedChange } from '../seal/commit-seal.ts';
import { proposeChange, standingBranch } from './change-channels.ts';
import { recordsOn } from './channel-branch.ts';
import { nothingAsked, promotionGates, type GateFacts } from './gates.ts';
import { operatorAt } from './operator-entry.ts';

/** Revisions of one channel whose gates are asked in one look, the newest first. */
const MAX_ASKED = 5;

/** Right after a start: until every repository was looked at. */
const INCOMPLETE_SECONDS = 30;

/** What could be proposed: the revisions that the channel before it offers, above its own head, the newest first. */
function candidatesFor(
  document: PackageChannels,
  name: string,
  published: ReadonlySet<number>,
): readonly number[] {
  const channel = document.channels.find((one) => one.name === name);
  const from = document.channels.find((one) => one.name === channel?.promotion?.from);
  if (channel === undefined || from === undefined || channel.auto === 'all') return [];
  const { head = 0 } = graphOf(channelGraphInput(channel, published));
  const known = new Set(channel.members.map(({ revision }) => revision));
  const { live } = graphOf(channelGraphInput(from, published));
  return live
    .filter((one) => one > head && !known.has(one))
    .toReversed()
    .slice(0, MAX_ASKED);
}

/**
 * Proposes the newest revision whose gates have opened, approvals aside, for every channel whose promotion is `auto`. What was
 * proposed and closed is not proposed again; asked again, this does nothing.
 */
export async function promoteByItself(
  ports: Ports,
  access: RepositoryAccess,
  {
    config,
    place,
    channels,
  }: {
    readonly config: RepositoryConfig;
    readonly place: ChannelPlace;
    readonly channels: ReadonlyMap<string, PackageChannelState>;
  },
  signal?: AbortSignal,
): Promise<void> {
  const wanted = [...channels].some(([, { document }]) =>
    document?.channels.some(({ promotion }) => promotion?.auto !== undefined),
  );
  if (wanted && !ports.catalog.isComplete()) {
    // Who is healthy with a revision cannot be asked before everybody is known.
    await ports.enqueue(repositorySweepJob(access.ref, INCOMPLETE_SECONDS));
    return;
  }
  const asked = nothingAsked();
  for (const [path, { document }] of channels) {
    for (const { name, promotion, line } of document?.channels ?? []) {
      if (document === undefined || promotion?.auto === undefined) continue;
      const published = new Set(publishedNumbers(place, path));
      const directory = pathInRepository(config.directory, path);
      const author = ports.app.botLogin;
      const facts: GateFacts = { config, refs: place.refs, author, approvedBy: [], asked };
      for (const revision of candidatesFor(document, name, published)) {
        const joining = {
          directory,
          channel: name,
          revision: `v${revision}`,
          line,
          promotion: { ...promotion, approvers: [] },
        };
        const gates = await promotionGates({ ports, access, signal }, joining, facts);
        if (gates.some(({ state }) => state !== 'passed')) continue;
        const wish: AskedChange = {
          change: { do: 'promote', package: path, revision, channel: name },
          by: ports.app.botLogin,
          day: ports.now().toISOString().slice(0, 10),
        };
        await proposeOnce(ports, access, { config, directory, wish }, signal);
        break;
      }
    }
  }
}

/**
 * Proposes the newest revision of each package that holds an operator now for the channels that its bundle names, where no channel has it
 * yet; a channel that is not there is made. What was proposed and closed is not proposed again.
 */
export async function offerOperators(
  ports: Ports,
  access: RepositoryAccess,
  {
    config,
    place,
    channels,
    packages,
  }: {
    readonly config: RepositoryConfig;
    readonly place: ChannelPlace;
    readonly channels: ReadonlyMap<string, PackageChannelState>;
    readonly packages: readonly Pick<CatalogPackage, 'directory' | 'holdsBundle'>[];
  },
  signal?: AbortSignal,
): Promise<void> {
  const { git, refs } = place;
  for (const { directory, holdsBundle } of packages) {
    if (holdsBundle !== true) continue;
    const path = packagePathOf(config.directory, directory);
    const state = path === undefined ? undefined : channels.get(path);
    // A file with a mistake is mended by a person first.
    if (path === undefined || (state !== undefined && state.document === undefined)) continue;
    const there = state?.document?.channels ?? [];
    if (there.some(({ auto }) => auto === 'all')) continue;
    const highest = Math.max(0, ...there.flatMap(({ members }) => members.map(({ revision }) => revision)));
    const added = publishedNumbers(place, path).filter((revision) => revision > highest);
    for (const revision of added.toSorted((a, b) => a - b).slice(-MAX_ASKED)) {
      const entry = await operatorAt(ports, { git, refs, directory }, revision, signal);
      for (const channel of entry === null ? [] : channelsOf(entry)) {
        const isThere = there.some(({ name }) => name === channel);
        const change = { do: isThere ? 'promote' : 'create', package: path, revision, channel } as const;
        const day = ports.now().toISOString().slice(0, 10);
        await proposeOnce(
          ports,
          access,
          { config, directory, wish: { change, by: ports.app.botLogin, day } },
          signal,
        );
      }
    }
  }
}

/** The default one first: it becomes the default of a package without channels. */
function channelsOf({ channels, defaultChannel }: OperatorEntry): string[] {
  const isDefault = (name: string): number => Number(name === defaultChannel);
  return channels.toSorted((a, b) => isDefault(b) - isDefault(a)).map(channelNameFor);
}

async function proposeOnce(
  ports: Ports,
  access: RepositoryAccess,
  {
    config,
    directory,
    wish,
  }: {
    readonly config: RepositoryConfig;
    readonly directory: RepositoryDirectory;
    readonly wish: AskedChange;
  },
  signal: AbortSignal | undefined,
): Promise<void> {
  const standing = await standingBranch(access, config, channelBranch(directory), signal);
  if (standing === null) return;
  const same = JSON.stringify(wish.change);
  const records = await recordsOn(ports, standing, signal);
  const isThere = records.some(({ changes }) =>
    changes.some(({ change }) => JSON.stringify(change) === same),
  );
  if (isThere && standing.open !== undefined) return;
  if (isThere) {
    const [last] = await access.forge.pullsForHead({ branch: standing.branch }, { state: 'all' }, signal);
    // Closed means: not this revision. Without one, the process ended before it was opened.
    if (last !== undefined && last.headSha === standing.head) return;
  }
  await proposeChange(ports, standing, { wish, comment: 0, index: 0 }, signal);
}
