/** One change of a channel file as somebody asks for it by command; every other byte of the file stays. */
import { editYaml, type YamlEdit, type YamlValue } from '../package/yaml/edit.ts';
import { graphOf } from './channel-graph.ts';
import { channelNameProblem } from './channel-name.ts';
import type { GraphMember } from './channel.ts';
import { channelGraphInput } from './check-channels.ts';
import type { ChannelDocument, PackageChannels } from './package-channels.ts';
import { readPackageChannels } from './read-channels.ts';
import { edgesWithout, type Edges } from './withdrawn-edges.ts';

/**
 * Plain data: it is sealed into the commit that makes it. `package` is the package's path, and a revision its number; in
 * `ChannelRequest` it may have the name of an operator's version.
 */
export type ChannelChange<Revision = number> =
  | {
      readonly do: 'promote';
      readonly package: string;
      readonly revision: Revision;
      readonly channel: string;
    }
  /** Without a channel, in every one that offers it. */
  | {
      readonly do: 'withdraw';
      readonly package: string;
      readonly revision: Revision;
      readonly channel?: string;
      readonly reason?: string;
    }
  /** A revision, or a channel, or the package where neither is named. */
  | {
      readonly do: 'deprecate';
      readonly package: string;
      readonly revision?: Revision;
      readonly channel?: string;
      readonly message: string;
      readonly severity?: 'info' | 'warning' | 'blocking';
      readonly supersededBy?: Revision;
    }
  /** `revision` is its first member; without one every published revision is. */
  | {
      readonly do: 'create';
      readonly package: string;
      readonly channel: string;
      readonly revision?: Revision;
    }
  | { readonly do: 'delete'; readonly package: string; readonly channel: string }
  | { readonly do: 'default'; readonly package: string; readonly channel: string };

/** What a command asks for: `web@v12`, or of an operator `redis@1.2.0` and `redis@redis-operator.v1.2.0`. */
export type ChannelRequest = ChannelChange<number | string>;

export interface ChangeFacts {
  /** Numbers of the revisions that have a tag. */
  readonly published: readonly number[];
  /** Of the command, for people: `2026-08-01`. */
  readonly day: string;
  /** What the revision says of its place in a graph; absent for what is no operator's bundle. */
  readonly member?: MemberFacts;
}

export type MemberFacts = Omit<GraphMember, 'revision' | 'withdrawn' | 'waypoint'>;

export type ChangedFile =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string; readonly hint: string };

/** The file after the change; undefined text is a file that is not there. Never throws for what is in it. */
export function changeChannelFile(
  text: string | undefined,
  change: ChannelChange,
  facts: ChangeFacts,
): ChangedFile {
  if (text === undefined && facts.published.length === 0)
    return refuse(
      `there is no package ${change.package} with a published revision`,
      'Write the whole path of the package, such as operators/redis.',
    );
  if (text === undefined) return newFile(change, facts);
  const { channels, problems } = readPackageChannels(text);
  const broken = problems.find(({ severity }) => severity === 'error');
  if (channels === undefined || broken !== undefined) {
    const where = broken === undefined ? '' : ` (line ${broken.line}: ${broken.message})`;
    return refuse(`the channel file has a mistake${where}`, 'Fix it first, in a commit.');
  }
  const edits = editsOf(channels, change, facts);
  return Array.isArray(edits) ? { ok: true, text: editYaml(text, edits) } : edits;
}

type Member = ChannelDocument['members'][number];
type Edits = YamlEdit[] | Extract<ChangedFile, { ok: false }>;

function editsOf(document: PackageChannels, change: ChannelChange, facts: ChangeFacts): Edits {
  switch (change.do) {
    case 'promote':
      return promote(document, change, facts);
    case 'withdraw':
      return withdraw(document, change, facts);
    case 'deprecate':
      return deprecate(document, change, facts);
    case 'create':
      return create(document, change, facts);
    case 'delete':
      return remove(document, change);
    case 'default': {
      const at = placeOf(document, change.channel);
      if (typeof at !== 'number') return at;
      if (document.defaultChannel === change.channel) {
        return refuse(`${change.channel} is the default channel already`, NOTHING);
      }
      return [set(['defaultChannel'], change.channel)];
    }
  }
}

function promote(
  document: PackageChannels,
  { channel: name, revision }: Extract<ChannelChange, { do: 'promote' }>,
  { published, member: facts }: ChangeFacts,
): Edits {
  if (!published.includes(revision)) return unpublished(revision);
  const at = placeOf(document, name);
  if (typeof at !== 'number') return at;
  const channel = document.channels[at];
  if (channel === undefined) return noChannel(document, name);
  const member = channel.members.find((one) => one.revision === revision);
  if (member?.withdrawn !== undefined) {
    const hint = 'What is withdrawn comes back by a commit that takes the mark away, and a reason.';
    return refuse(`v${revision} is withdrawn from ${name}`, hint);
  }
  if (member !== undefined) return refuse(`${name} offers v${revision} already`, NOTHING);
  if (channel.auto === 'all') return refuse(`every published revision is in ${name}`, NOTHING);
  const { head } = graphOf(channelGraphInput(channel, new Set(published)));
  const edges = channel.mode === 'graph' ? withStranded(edgesOf(facts, head), channel, revision) : {};
  const value = memberValue(revision, edges);
  const behind = channel.members.findIndex((one) => one.revision > revision);
  const place = channel.mode === 'graph' || behind === -1 ? {} : { at: behind };
  const insert: YamlEdit = { op: 'insert', document: 0, path: ['channels', at, 'members'], value, ...place };
  return [
    insert,
    ...headEdits(channel, at, [...channel.members, { revision, line: 0, ...edges }], published),
  ];
}

/** Without edges of its own, it follows the head. */
function edgesOf(facts: MemberFacts = {}, head: number | undefined): MemberFacts {
  const { replaces, skips, skipRange } = facts;
  const isLinked = replaces !== undefined || skips !== undefined || skipRange !== undefined;
  return { ...facts, ...(!isLinked && head !== undefined && { replaces: head }) };
}

/** The new revision also skips withdrawn ones that nothing replaces, such as a former head: otherwise nothing leads away from them. */
function withStranded(edges: MemberFacts, { members }: ChannelDocument, revision: number): MemberFacts {
  const live = members.filter(({ withdrawn }) => withdrawn === undefined);
  const stranded = members
    .filter(
      (one) => one.withdrawn !== undefined && one.revision < revision && one.revision !== edges.replaces,
    )
    .map((one) => one.revision)
    .filter((one) => !live.some(({ replaces, skips }) => replaces === one || skips?.includes(one) === true));
  if (stranded.length === 0) return edges;
  return { ...edges, skips: [...new Set([...(edges.skips ?? []), ...stranded])].sort((a, b) => a - b) };
}

function memberValue(revision: number, { replaces, skips, skipRange, version }: MemberFacts): YamlValue {
  const own = version !== undefined && version !== `${revision}.0.0`;
  const fields = {
    ...(replaces !== undefined && { replaces: `v${replaces}` }),
    ...(skips !== undefined && { skips: skips.map((skip) => `v${skip}`) }),
    ...(skipRange !== undefined && { skipRange }),
    ...(own && { version }),
  };
  return Object.keys(fields).length === 0 ? `v${revision}` : { revision: `v${revision}`, ...fields };
}

function withdraw(
  document: PackageChannels,
  { channel: name, revision, reason }: Extract<ChannelChange, { do: 'withdraw' }>,
  { published, day }: ChangeFacts,
): Edits {
  if (name !== undefined) {
    const at = placeOf(document, name);
    if (typeof at !== 'number') return at;
  }
  const edits: YamlEdit[] = [];
  const mark = { ...(reason !== undefined && { reason }), at: day };
  for (const [at, channel] of document.channels.entries()) {
    if (name !== undefined && channel.name !== name) continue;
    const { live } = graphOf(channelGraphInput(channel, new Set(published)));
    if (!live.includes(revision)) continue;
    if (live.length === 1) {
      const hint = `Promote another revision first, or delete the channel: /portico channel delete ${document.package} ${channel.name}.`;
      return refuse(`${channel.name} would offer nothing without v${revision}`, hint);
    }
    const where = channel.members.findIndex((one) => one.revision === revision);
    const member = channel.members[where];
    const bridged: ReadonlyMap<number, Edges> =
      channel.mode === 'graph'
        ? edgesWithout(channelGraphInput(channel, new Set(published)).members, revision)
        : new Map();
    const members = channel.members.map((one) => {
      if (one.revision === revision) return { ...one, withdrawn: mark };
      const edges = bridged.get(one.revision);
      return edges === undefined ? one : withEdges(one, edges);
    });
    if (member === undefined) {
      edits.push({
        op: 'insert',
        document: 0,
        path: ['channels', at, 'members'],
        value: { revision: `v${revision}`, withdrawn: mark },
      });
    } else if (isPlain(member)) {
      edits.push(set(['channels', at, 'members', where], { revision: `v${revision}`, withdrawn: mark }));
    } else edits.push(set(['channels', at, 'members', where, 'withdrawn'], mark));
    for (const [index, one] of channel.members.entries()) {
      edits.push(...edgeEdits(['channels', at, 'members', index], one, bridged.get(one.revision)));
    }
    edits.push(
      ...headEdits(
        channel,
        at,
        member === undefined ? [...members, { revision, line: 0, withdrawn: mark }] : members,
        published,
      ),
    );
  }
  if (edits.length > 0) return edits;
  return refuse(
    `no channel of ${document.package} offers v${revision}${name === undefined ? '' : ` (${name} was named)`}`,
    NOTHING,
  );
}

function withEdges(
  { replaces: _replaces, skips: _skips, ...member }: Member,
  { replaces, skips }: Edges,
): Member {
  return { ...member, ...(replaces !== undefined && { replaces }), ...(skips && { skips }) };
}

/** Writes the new edges of a member, and leaves the rest of it. */
function edgeEdits(path: (string | number)[], member: Member, edges: Edges | undefined): YamlEdit[] {
  if (edges === undefined) return [];
  const values: readonly (readonly [string, YamlValue | undefined])[] = [
    ['replaces', edges.replaces === undefined ? undefined : `v${edges.replaces}`],
    ['skips', edges.skips?.length ? edges.skips.map((one) => `v${one}`) : undefined],
  ];
  if (isPlain(member)) {
    const said = values.filter(([, value]) => value !== undefined);
    return [set(path, { revision: `v${member.revision}`, ...Object.fromEntries(said) })];
  }
  const before: Readonly<Record<string, unknown>> = { replaces: member.replaces, skips: member.skips };
  return values.flatMap(([field, value]): YamlEdit[] => {
    if (value !== undefined) return [set([...path, field], value)];
    return before[field] === undefined ? [] : [{ op: 'delete', document: 0, path: [...path, field] }];
  });
}

/** True for `v12` without anything that is said of it. */
function isPlain({ line: _line, revision: _revision, ...member }: Member): boolean {
  return Object.keys(member).length === 0;
}

/** Where the file says the head, it says the one that follows from the members. */
function headEdits(
  channel: ChannelDocument,
  at: number,
  members: ChannelDocument['members'],
  published: readonly number[],
): YamlEdit[] {
  if (channel.head === undefined) return [];
  const { head } = graphOf(channelGraphInput({ ...channel, members }, new Set(published)));
  return head === undefined ? [] : [set(['channels', at, 'head'], `v${head}`)];
}

function deprecate(
  document: PackageChannels,
  change: Extract<ChannelChange, { do: 'deprecate' }>,
  { published }: ChangeFacts,
): Edits {
  const { revision, channel, message, severity, supersededBy } = change;
  if (channel !== undefined) {
    const at = placeOf(document, channel);
    if (typeof at !== 'number') return at;
  }
  const unknown = [revision, supersededBy].find((one) => one !== undefined && !published.includes(one));
  if (unknown !== undefined) return unpublished(unknown);
  const schema = revision !== undefined ? 'revision' : channel !== undefined ? 'channel' : 'package';
  const name = revision === undefined ? channel : `v${revision}`;
  const member = {
    message,
    ...(severity !== undefined && { severity }),
    ...(supersededBy !== undefined && { supersededBy: `v${supersededBy}` }),
  };
  const at = document.deprecations.findIndex((one) => one.schema === schema && one.name === name);
  if (at >= 0) return Object.entries(member).map(([field, value]) => set(['deprecations', at, field], value));
  const value = { reference: { schema, ...(name !== undefined && { name }) }, ...member };
  return [{ op: 'insert', document: 0, path: ['deprecations'], value }];
}

function create(
  document: PackageChannels,
  change: Extract<ChannelChange, { do: 'create' }>,
  { published, member }: ChangeFacts,
): Edits {
  const wrong = channelNameProblem(change.channel);
  if (wrong !== undefined)
    return refuse(`${change.channel} cannot be the name of a channel: it ${wrong}`, 'Name it like stable.');
  if (document.channels.some(({ name }) => name === change.channel)) {
    return refuse(`there is a channel ${change.channel} already`, NOTHING);
  }
  const { revision } = change;
  if (revision !== undefined && !published.includes(revision)) return unpublished(revision);
  return [{ op: 'insert', document: 0, path: ['channels'], value: channelValue(change, member) }];
}

/** Bundles of operators name their edges. */
function channelValue(
  { channel, revision }: { readonly channel: string; readonly revision?: number },
  member: MemberFacts | undefined,
): YamlValue {
  if (revision === undefined) return { name: channel, auto: 'all' };
  if (member === undefined) return { name: channel, members: [`v${revision}`] };
  return { name: channel, mode: 'graph', members: [memberValue(revision, member)] };
}

function remove(document: PackageChannels, { channel }: Extract<ChannelChange, { do: 'delete' }>): Edits {
  const at = placeOf(document, channel);
  if (typeof at !== 'number') return at;
  if (document.defaultChannel === channel) {
    const hint = `Make another one the default first: /portico channel default ${document.package} NAME.`;
    return refuse(`${channel} is the default channel`, hint);
  }
  return [{ op: 'delete', document: 0, path: ['channels', at] }];
}

/** The first channel of a package is its default. */
function newFile(change: ChannelChange, { published, member }: ChangeFacts): ChangedFile {
  if (change.do !== 'promote' && change.do !== 'create') {
    const hint = `Make a channel first: /portico channel create ${change.package} stable v1.`;
    return refuse(`${change.package} has no channel file`, hint);
  }
  const wrong = channelNameProblem(change.channel);
  if (wrong !== undefined)
    return refuse(`${change.channel} cannot be the name of a channel: it ${wrong}`, 'Name it like stable.');
  const { revision } = change;
  if (revision !== undefined && !published.includes(revision)) return unpublished(revision);
  const fields: readonly (readonly [string, YamlValue])[] = [
    ['package', change.package],
    ['defaultChannel', change.channel],
    ['channels', [channelValue(change, member)]],
  ];
  const head = 'apiVersion: config.portico.dev/v1alpha1\nkind: PackageChannels\n';
  return {
    ok: true,
    text: editYaml(
      head,
      fields.map(([name, value]) => set([name], value)),
    ),
  };
}

const NOTHING = 'There is nothing to change.';

function set(path: (string | number)[], value: YamlValue): YamlEdit {
  return { op: 'set', document: 0, path, value };
}

function placeOf(document: PackageChannels, name: string): number | Extract<ChangedFile, { ok: false }> {
  const at = document.channels.findIndex((channel) => channel.name === name);
  return at >= 0 ? at : noChannel(document, name);
}

function noChannel(
  { channels, package: path }: PackageChannels,
  name: string,
): Extract<ChangedFile, { ok: false }> {
  const names = channels.map((one) => one.name).join(', ');
  return refuse(
    `${path} has no channel ${name}; it has ${names}`,
    `Make it: /portico channel create ${path} ${name} v1.`,
  );
}

function unpublished(revision: number): Extract<ChangedFile, { ok: false }> {
  return refuse(`v${revision} is not published, or has lost its tag`, 'Name a revision that has a tag.');
}

function refuse(message: string, hint: string): Extract<ChangedFile, { ok: false }> {
  return { ok: false, message, hint };
}

/** The change in words, as titles and lists have it: `Promote web v12 to stable`, or of an operator `Promote redis v12 (1.2.0) to stable`. */
export function changeTitle(change: ChannelChange, version?: string): string {
  const { package: path } = change;
  const named = version === undefined ? '' : ` (${version})`;
  switch (change.do) {
    case 'promote':
      return `Promote ${path} v${change.revision}${named} to ${change.channel}`;
    case 'withdraw':
      return `Withdraw ${path} v${change.revision}${named}${change.channel === undefined ? '' : ` from ${change.channel}`}`;
    case 'deprecate':
      return `Deprecate ${deprecatedName(change, named)}`;
    case 'create':
      return `Create the channel ${change.channel} of ${path}`;
    case 'delete':
      return `Delete the channel ${change.channel} of ${path}`;
    case 'default':
      return `Make ${change.channel} the default channel of ${path}`;
  }
}

/** What the title does not say that it does, as sentences; `isFirst`: the package had no channel file. '' for nothing. */
export function changeEffects(change: ChannelChange, isFirst: boolean): string {
  const { package: path } = change;
  if (change.do !== 'create' && change.do !== 'promote') return '';
  const { channel, revision } = change;
  const offers =
    change.do === 'promote'
      ? ''
      : revision === undefined
        ? `The channel ${channel} offers every published revision, and later ones as they are published.`
        : `The channel ${channel} offers v${revision} alone.`;
  if (!isFirst) return offers;
  const makes = change.do === 'promote' ? `It also creates the channel ${channel}. ` : '';
  const first = `${makes}The default channel becomes ${channel}, because ${path} has no other.`;
  return offers === '' ? first : `${offers} ${first}`;
}

function deprecatedName(
  { package: path, revision, channel }: Extract<ChannelChange, { do: 'deprecate' }>,
  named: string,
): string {
  if (revision !== undefined) return `${path} v${revision}${named}`;
  return channel === undefined ? path : `the channel ${channel} of ${path}`;
}
