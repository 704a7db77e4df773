/** A `PackageChannels` document as a value, with what is wrong with it on its line. */
import { PorticoError } from '../error.ts';
import { InvalidYaml } from '../package/yaml/invalid-yaml.ts';
import { lineCounter } from '../package/yaml/line-counter.ts';
import { resolved, type YamlNode } from '../package/yaml/node.ts';
import { readYamlFile } from '../package/yaml/read.ts';
import { Section, type ChannelProblem, type Rule, type Tell } from './channels-node.ts';
import type {
  ChannelDocument,
  DeprecationDocument,
  MemberDocument,
  PackageChannels,
  Placed,
  PromotionDocument,
} from './package-channels.ts';

const API_VERSION = 'config.portico.dev/v1alpha1';
/** More than any package has revisions, and few enough to be looked at again and again. */
const MAX_MEMBERS = 10_000;
const MAX_CHANNELS = 100;
const MAX_PROBLEMS = 200;
const MAX_CHARACTERS = 2 * 1024 * 1024;

export interface ReadChannels {
  /** As far as it could be read; undefined for what is no such document at all. */
  readonly channels: PackageChannels | undefined;
  readonly problems: readonly ChannelProblem[];
}

/** Reads one document. Never throws: what cannot be used is a problem with its line. */
export function readPackageChannels(text: string): ReadChannels {
  const problems: ChannelProblem[] = [];
  const lineAt = lineCounter(text);
  const tell: Tell = (rule, at, message, severity) => {
    if (problems.length >= MAX_PROBLEMS) return;
    const line = typeof at === 'number' ? at : lineAt(at?.at?.body ?? 0);
    problems.push({ rule, line, message, severity: severity ?? 'error' });
  };
  const root = rootOf(text, tell);
  if (root === undefined) return { channels: undefined, problems };
  const channels = documentOf(root, tell, lineAt);
  return { channels, problems };
}

function rootOf(text: string, tell: Tell): YamlNode | undefined {
  if (text.length > MAX_CHARACTERS) {
    tell('C00', 1, `the document has more than ${MAX_CHARACTERS} characters`);
    return undefined;
  }
  try {
    const roots = readYamlFile(text).documents.flatMap(({ root }) => (root === null ? [] : [root]));
    const [root, second] = roots;
    if (root === undefined) tell('C00', 1, 'the file holds no document');
    if (second !== undefined) tell('C00', second, 'the file holds more than one document');
    return root;
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error;
    const { line, what } = error instanceof InvalidYaml ? error : { line: 1, what: error.message };
    tell('C00', line, what);
    return undefined;
  }
}

type LineAt = (offset: number) => number;

function documentOf(root: YamlNode, tell: Tell, lineAt: LineAt): PackageChannels {
  const section = new Section(root, 'the document', tell);
  for (const [field, wanted] of [
    ['apiVersion', API_VERSION],
    ['kind', 'PackageChannels'],
  ] as const) {
    if (section.text(field) !== wanted) tell('C00', section.value(field), `${field} must be ${wanted}`);
  }
  const of = section.text('package');
  if (of === undefined) tell('C01', section.node, 'package is missing');
  const listed = section.list('channels');
  if (listed.length > MAX_CHANNELS) tell('C00', listed[0], `there are more than ${MAX_CHANNELS} channels`);
  const defaultChannel = section.text('defaultChannel');
  const document: PackageChannels = {
    package: of ?? '',
    packageLine: lineOf(section.value('package'), lineAt),
    ...(defaultChannel !== undefined && { defaultChannel }),
    defaultLine: lineOf(section.value('defaultChannel'), lineAt),
    channels: listed.slice(0, MAX_CHANNELS).map((node) => channelOf(node, tell, lineAt)),
    deprecations: section.list('deprecations').map((node) => deprecationOf(node, tell, lineAt)),
  };
  section.refuseOthers();
  return document;
}

function lineOf(node: YamlNode | undefined, lineAt: LineAt): number {
  return lineAt(node?.at?.body ?? 0);
}

function channelOf(node: YamlNode, tell: Tell, lineAt: LineAt): Placed<ChannelDocument> {
  const section = new Section(node, 'channel', tell);
  const name = section.text('name');
  if (name === undefined) tell('C03', node, 'the channel has no name');
  const auto = section.choice('auto', ['all']);
  const mode = section.choice('mode', ['sequence', 'graph']) ?? 'sequence';
  const members = section.list('members');
  if (members.length > MAX_MEMBERS) tell('C00', members[0], `there are more than ${MAX_MEMBERS} members`);
  const head = revisionAt(section, 'head', 'C09', tell);
  const promotion = promotionOf(section.value('promotion'), tell, lineAt);
  const channel = {
    name: name ?? '',
    mode,
    ...(auto !== undefined && { auto }),
    ...(head !== undefined && { head }),
    headLine: lineOf(section.value('head') ?? node, lineAt),
    members: members.slice(0, MAX_MEMBERS).flatMap((member) => memberOf(member, mode, tell, lineAt)),
    ...(promotion !== undefined && { promotion }),
    line: lineOf(node, lineAt),
  };
  section.refuseOthers();
  return channel;
}

/** `v12` alone, or a map that says more about it. */
function memberOf(
  node: YamlNode,
  mode: ChannelDocument['mode'],
  tell: Tell,
  lineAt: LineAt,
): Placed<MemberDocument>[] {
  const line = lineOf(node, lineAt);
  if (node.kind !== 'map') {
    const revision = revisionOf(node, 'C06', tell);
    return revision === undefined ? [] : [{ revision, line }];
  }
  const section = new Section(node, 'member', tell);
  const revision = revisionAt(section, 'revision', 'C06', tell);
  if (revision === undefined && section.value('revision') === undefined)
    tell('C06', node, 'the member has no revision');
  const note = section.text('note');
  const withdrawn = section.value('withdrawn');
  const reasons = withdrawn === undefined ? undefined : new Section(withdrawn, 'withdrawn', tell);
  const [reason, since] = [reasons?.text('reason'), reasons?.text('at')];
  reasons?.refuseOthers();
  const edges = mode === 'graph' ? edgesOf(section, tell) : {};
  const waypoint = section.flag('waypoint');
  section.refuseOthers();
  if (revision === undefined) return [];
  return [
    {
      revision,
      line,
      ...(waypoint && { waypoint }),
      ...(note !== undefined && { note }),
      ...(withdrawn !== undefined && {
        withdrawn: { ...(reason !== undefined && { reason }), ...(since !== undefined && { at: since }) },
      }),
      ...edges,
    },
  ];
}

function edgesOf(
  section: Section,
  tell: Tell,
): Pick<MemberDocument, 'replaces' | 'skips' | 'skipRange' | 'version'> {
  const replaces = revisionAt(section, 'replaces', 'C10', tell);
  const skips = section.list('skips').flatMap((node) => revisionOf(node, 'C10', tell) ?? []);
  const [skipRange, version] = [section.text('skipRange'), section.text('version')];
  return {
    ...(replaces !== undefined && { replaces }),
    ...(skips.length > 0 && { skips }),
    ...(skipRange !== undefined && { skipRange }),
    ...(version !== undefined && { version }),
  };
}

function revisionAt(section: Section, field: string, rule: Rule, tell: Tell): number | undefined {
  const value = section.value(field);
  return value === undefined ? undefined : revisionOf(value, rule, tell);
}

/** Revisions are written as their tags are: `v12`. */
function revisionOf(node: YamlNode, rule: Rule, tell: Tell): number | undefined {
  const value = resolved(node);
  const found = value.kind === 'scalar' ? /^v([1-9]\d{0,8})$/.exec(String(value.value)) : null;
  if (found === null) tell(rule, node, 'a revision is written as v12');
  return found === null ? undefined : Number(found[1]);
}

/** Gates besides time and people that there are. */
const MAX_REQUIRED = 2;
/** Each is asked of the forge for each approval. */
const MAX_APPROVERS = 20;

function promotionOf(
  node: YamlNode | undefined,
  tell: Tell,
  lineAt: LineAt,
): Placed<PromotionDocument> | undefined {
  if (node === undefined) return undefined;
  const section = new Section(node, 'promotion', tell);
  const from = section.text('from');
  if (from === undefined) tell('C15', node, 'promotion.from is missing');
  const soak = section.text('soak');
  if (soak !== undefined && !/^(?:[1-9]\d{0,4}[smhd])+$/.test(soak)) {
    tell('C00', section.value('soak'), 'promotion.soak is a time such as 72h or 3d');
  }
  const auto = section.choice('auto', ['open', 'merge']);
  const require = section.texts('require');
  const unknown = require.find((one) => one !== 'checks' && one !== 'rollout');
  if (unknown !== undefined || require.length > MAX_REQUIRED) {
    tell('C00', section.value('require'), 'promotion.require is a list of checks and rollout, each once');
  }
  const healthy = section.text('healthy');
  const share = /^([1-9]\d?|100)%$/.exec(healthy ?? '')?.[1];
  if (healthy !== undefined && share === undefined) {
    tell('C00', section.value('healthy'), 'promotion.healthy is a share such as 90%');
  } else if (share !== undefined && !require.includes('rollout')) {
    tell('C00', section.value('healthy'), 'promotion.healthy needs rollout in promotion.require');
  }
  const approvers = section.texts('approvers');
  if (approvers.length > MAX_APPROVERS) {
    tell('C00', section.value('approvers'), `promotion.approvers names at most ${MAX_APPROVERS}`);
  }
  const promotion = {
    from: from ?? '',
    ...(soak !== undefined && { soak }),
    require: require.slice(0, MAX_REQUIRED),
    ...(share !== undefined && { healthy: Number(share) }),
    approvers: approvers.slice(0, MAX_APPROVERS),
    ...(auto !== undefined && { auto }),
    line: lineOf(section.value('from') ?? node, lineAt),
  };
  section.refuseOthers();
  return promotion;
}

function deprecationOf(node: YamlNode, tell: Tell, lineAt: LineAt): Placed<DeprecationDocument> {
  const section = new Section(node, 'deprecation', tell);
  const reference = new Section(section.value('reference'), 'reference', tell);
  const schema = reference.choice('schema', ['package', 'channel', 'revision']);
  if (schema === undefined) tell('C13', node, 'the deprecation does not name a package, channel or revision');
  const name = reference.text('name');
  reference.refuseOthers();
  const supersededBy = revisionAt(section, 'supersededBy', 'C14', tell);
  const deprecation = {
    schema: schema ?? 'package',
    ...(name !== undefined && { name }),
    message: section.text('message') ?? '',
    severity: section.choice('severity', ['info', 'warning', 'blocking']) ?? 'warning',
    ...(supersededBy !== undefined && { supersededBy }),
    line: lineOf(node, lineAt),
  } as const;
  section.refuseOthers();
  return deprecation;
}
