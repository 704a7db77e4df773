/** The graph of an old index, and how `opm registry add` put one bundle more into it by its version. */
import { byText } from '../../src/fbc/go-text.ts';
import { compareVersions, parseVersion, type Parsed, type Version } from '../../src/fbc/version.ts';

export interface OldGraphNode {
  readonly version: string;
  readonly replaces: readonly string[];
}

export interface OldGraph {
  readonly name: string;
  readonly defaultChannel: string;
  readonly channels: Readonly<
    Record<string, { readonly head: string; readonly nodes: Readonly<Record<string, OldGraphNode>> }>
  >;
}

export interface AddedBundle {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  readonly channels: readonly string[];
  /** '' where it names none. */
  readonly defaultChannel: string;
}

/**
 * Puts the bundle between those below and above it in each of its channels. With `skipPatch` it takes the place of the lower
 * patches of its minor version. As it did once: what comes in another order may give another graph.
 */
export function addToGraph(
  graph: OldGraph,
  bundle: AddedBundle,
  { skipPatch }: { readonly skipPatch: boolean },
): Parsed<OldGraph> {
  const { value: version, problem } = parseVersion(bundle.version);
  if (version === undefined) return { problem };
  const channels = { ...graph.channels };
  for (const name of bundle.channels) {
    const added = addToChannel(channels[name], bundle.name, version, bundle.version, skipPatch);
    if (added.value === undefined) return added;
    channels[name] = added.value;
  }
  const first = graph.defaultChannel === '' ? (bundle.channels[0] ?? '') : graph.defaultChannel;
  const defaultChannel = bundle.defaultChannel === '' ? first : bundle.defaultChannel;
  return { value: { name: graph.name === '' ? bundle.package : graph.name, defaultChannel, channels } };
}

type OldGraphChannel = OldGraph['channels'][string];

function addToChannel(
  channel: OldGraphChannel | undefined,
  name: string,
  version: Version,
  text: string,
  skipPatch: boolean,
): Parsed<OldGraphChannel> {
  const { head = name, nodes = {} } = channel ?? {};
  let behind: { readonly name: string; readonly version: Version } | undefined;
  let ahead: { readonly name: string; readonly version: Version } | undefined;
  const passed: string[] = [];
  for (const [other, node] of Object.entries(nodes)) {
    const own = parseVersion(node.version).value;
    if (own === undefined) continue;
    const order = compareVersions(own, version);
    if (order === 0) return { problem: `Bundle version ${text} already added to index` };
    const found = { name: other, version: own };
    if (order < 0 && (behind === undefined || compareVersions(own, behind.version) > 0)) behind = found;
    if (order > 0 && (ahead === undefined || compareVersions(own, ahead.version) < 0)) ahead = found;
    if (isSkipPatchCandidate(version, own)) passed.push(other);
  }
  const left = Object.fromEntries(
    Object.entries(nodes).filter(([other]) => !skipPatch || ahead !== undefined || !passed.includes(other)),
  );
  const below =
    skipPatch && ahead === undefined && passed.length > 0
      ? passed
      : behind === undefined
        ? []
        : [behind.name];
  const above =
    ahead === undefined
      ? {}
      : { [ahead.name]: { version: nodes[ahead.name]?.version ?? '', replaces: [name] } };
  return {
    value: {
      head: ahead === undefined ? name : head,
      nodes: { ...left, ...above, [name]: { version: text, replaces: below.toSorted(byText) } },
    },
  };
}

/** True where a version takes the place of another with skip-patch: one minor version, and higher. */
export function isSkipPatchCandidate(added: Version, other: Version): boolean {
  return added.major === other.major && added.minor === other.minor && compareVersions(added, other) > 0;
}
