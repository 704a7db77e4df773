/** What an update says to people: its pull request, and why it did not come. */
import { repositoryName } from '../../catalog/catalog.ts';
import { PorticoError } from '../../error.ts';
import { packageVersion } from '../../package/package-version.ts';
import { partIn } from '../../text/marked-part.ts';
import { upstreamText } from '../../text/revision-text.ts';
import type { Downstream, DownstreamRepository } from '../downstream/downstream.ts';
import type { SourceRenewal } from '../downstream/source-renewal.ts';
import type { Withheld } from '../downstream/update-target.ts';
import type { Pull } from '../forge/pulls.ts';
import type { Ports } from '../ports.ts';
import {
  loadRevisionRefs,
  newestRevision,
  publishedRefs,
  tagOf,
  upcomingRevision,
} from '../repository/package-revisions.ts';
import { asksApproval } from '../review/proposal-approval.ts';
import { isOlder } from '../rollout/led-back.ts';
import { code } from '../text/markdown-blocks.ts';
import { planTitle, updateBody, whyText, WHY_PART, type UpdatedPart } from './body.ts';
import type { UpdatePlan } from './plan.ts';
import { allConflicts, type PackageUpdate } from './push.ts';
import type { ReadUpstreamChangelog } from './upstream-changelog.ts';

export interface UpdatePull {
  readonly kind: 'opened' | 'updated' | 'unchanged' | 'merged';
  readonly pull: number;
  /** Revision that it brings. */
  readonly to: string;
  /** Its repository requires an approval. */
  readonly isReviewed: boolean;
  /** The revision that it leads away from, because that was withdrawn. */
  readonly withdrawn?: string;
}

/** What the words of an update are made with, and which need no more looks at their labels. */
export interface UpdateWords {
  readonly upstreamChangelog: ReadUpstreamChangelog;
  /** Repository and number of pull requests, with the labels that are configured. */
  readonly labelled: Set<string>;
}

/** Opens the update's pull request, or makes the open one say what the branch holds now. */
export async function openOrRefresh({
  ports,
  plan,
  brought,
  why,
  words,
  signal,
}: {
  readonly ports: Ports;
  readonly plan: UpdatePlan;
  readonly brought: readonly PackageUpdate[];
  /** What it has a pull request for, where it could have come without one; else ''. */
  readonly why: string;
  readonly words: UpdateWords;
  readonly signal?: AbortSignal | undefined;
}): Promise<UpdatePull> {
  const { downstreamRepository, branch, group, open } = plan;
  const { forge } = downstreamRepository.access;
  const title = planTitle(plan, brought);
  const refs = await loadRevisionRefs(downstreamRepository.access.git, signal);
  const parts: UpdatedPart[] = [];
  for (const one of brought) {
    const sides = one.sides && { ...one.sides, local: one.local, result: one.files };
    const survives = sides && (await ports.content.survivingChanges(sides, signal));
    const part = await partOf(one, words.upstreamChangelog);
    const publishes = upcomingRevision(refs, one.down.directory, downstreamRepository.config);
    const newest = newestRevision(refs, one.down.directory)?.name;
    const version = packageVersion(one.files);
    parts.push({
      ...part,
      ...(newest !== undefined && { newest }),
      ...(version !== undefined && { version }),
      publishes,
      ...(survives && { survives }),
    });
  }
  const body = updateBody(
    {
      repository: downstreamRepository.facts.id,
      branch,
      ...(group !== undefined && { group }),
      parts,
      conflicts: allConflicts(plan, brought),
      why: open === undefined ? whyText(why) : partIn(open.body.replaceAll('\r\n', '\n'), WHY_PART),
    },
    ports.seals,
  );
  const to = brought[0]?.to ?? '';
  const isReviewed = asksApproval(downstreamRepository.config);
  if (open === undefined) {
    const wish = { title, body, head: branch, base: downstreamRepository.config.branch };
    const { created, pull } = await forge.createPull(wish, signal);
    await putLabels({ ports, downstreamRepository, pull, updateWords: words, isNew: created, signal });
    return { kind: 'opened', pull: pull.number, to, isReviewed };
  }
  if (open.title !== title || open.body !== body) {
    await forge.updatePull(open.number, { title, body }, signal);
  }
  await putLabels({ ports, downstreamRepository, pull: open, updateWords: words, isNew: false, signal });
  return { kind: 'updated', pull: open.number, to, isReviewed };
}

async function partOf(
  one: PackageUpdate,
  upstreamChangelog: ReadUpstreamChangelog,
): Promise<Omit<UpdatedPart, 'publishes'>> {
  const { down, to } = one;
  if (down.renewal !== undefined) return renewedPart(one, down.renewal);
  const { planned, upstream } = down;
  const { revisions, notes } = await upstreamChangelog(down, to);
  const links = linksTo(down, to);
  const now = tagOf(upstream.refs, upstream.directory, to)?.commit;
  return {
    directory: down.directory,
    path: down.path,
    upstream: down.upstreamName,
    from: upstream.current,
    to,
    created: !down.exists,
    revisions,
    notes,
    ...(one.following && { following: one.following }),
    ...(one.notes && { mergeNotes: one.notes }),
    ...(one.way && { way: one.way }),
    ...(links && { links }),
    ...(now !== undefined && { commits: [down.exists ? upstream.baseCommit : null, now] }),
    ...(planned && {
      variant: {
        name: `${planned.namespace}/${planned.name}`,
        place: `${repositoryName(planned.control)}:${planned.file}`,
      },
    }),
  };
}

/** The same of sources: what their publishers wrote comes with the content. */
function renewedPart(
  { down, to, source }: PackageUpdate,
  { steps }: SourceRenewal,
): Omit<UpdatedPart, 'publishes'> {
  const { notes = [], left = [] } = source ?? {};
  return {
    directory: down.directory,
    path: down.path,
    upstream: down.upstreamName,
    from: down.upstream.current,
    to,
    created: false,
    notes,
    source: { steps, left },
  };
}

/** Pages of the forge about the revision; of an upstream outside nobody knows what its pages are called. */
function linksTo({ upstream, upstreamUrl, exists }: Downstream, to: string): UpdatedPart['links'] {
  if (upstream.address !== undefined) return undefined;
  const at = (revision: string): string => inUrl(publishedRefs(upstream.directory, revision).tag);
  const { current, base } = upstream;
  const isStep = exists && base === undefined && current !== undefined && current !== to;
  // The forge shows what its second revision has beyond the first: on the way back that is what is undone.
  const [older, newer] = isStep && isOlder(to, current) ? [to, current] : [current, to];
  return {
    release: `${upstreamUrl}/releases/tag/${at(to)}`,
    ...(isStep && older !== undefined && { compare: `${upstreamUrl}/compare/${at(older)}...${at(newer)}` }),
  };
}

/** A tag in an address that stands in Markdown: `web/v2` stays as it is. */
function inUrl(tag: string): string {
  return encodeURIComponent(tag).replaceAll('%2F', '/').replaceAll('(', '%28').replaceAll(')', '%29');
}

/** Put on where a repository has it, and nobody listed others. */
const USUAL_LABEL = 'portico';

async function labelsOf(
  downstreamRepository: DownstreamRepository,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const { labels } = downstreamRepository.config.updates;
  if (labels !== undefined) return labels;
  return (await downstreamRepository.hasLabel(USUAL_LABEL, signal)) ? [USUAL_LABEL] : [];
}

const NOT_ALLOWED: readonly string[] = ['FORGE_NOT_FOUND', 'FORGE_FORBIDDEN', 'FORGE_INVALID'];

/** So many are remembered. */
const MAX_LABELLED = 50_000;

/**
 * Puts those labels on Portico's pull request that it never had, though a process may have died before that: what people
 * take off stays off. A forge that does not let the App make labels keeps no update back.
 */
export async function putLabels({
  ports,
  downstreamRepository,
  pull,
  updateWords: { labelled },
  isNew,
  signal,
}: {
  readonly ports: Pick<Ports, 'log' | 'app'>;
  readonly downstreamRepository: DownstreamRepository;
  readonly pull: Pick<Pull, 'number' | 'labels' | 'author'>;
  readonly updateWords: UpdateWords;
  readonly isNew: boolean;
  readonly signal?: AbortSignal | undefined;
}): Promise<void> {
  const { access, facts, config } = downstreamRepository;
  const key = `${facts.id}#${pull.number} ${JSON.stringify(config.updates.labels)}`;
  if (labelled.has(key) || pull.author !== ports.app.botLogin) return;
  try {
    const off = (await labelsOf(downstreamRepository, signal)).filter(
      (name) => !includesName(pull.labels, name),
    );
    const had = isNew || off.length === 0 ? [] : await access.forge.labelsEverOn(pull.number, signal);
    const labels = off.filter((name) => !includesName(had, name));
    if (labels.length > 0) await access.forge.addLabels(pull.number, labels, signal);
  } catch (error) {
    if (!(error instanceof PorticoError) || !NOT_ALLOWED.includes(error.code)) throw error;
    ports.log.info(
      { err: error, repository: facts.fullName, pull: pull.number },
      'the labels of an update could not be put on',
    );
  }
  if (labelled.size >= MAX_LABELLED) labelled.clear();
  labelled.add(key);
}

function includesName(names: readonly string[], name: string): boolean {
  return names.some((one) => one.toLowerCase() === name.toLowerCase());
}

export const STOP_MARKER = '<!-- portico:update -->';

/** On the open pull request: that newer revisions could not be brought under what people committed, or now are. */
export async function upsertBlockedNotice({
  ports,
  plan: {
    downstreamRepository: { access },
    open,
  },
  stopped,
  brought,
  signal,
}: {
  readonly ports: Pick<Ports, 'app'>;
  readonly plan: UpdatePlan;
  readonly stopped: readonly Withheld[];
  readonly brought: readonly {
    readonly down: { readonly path: string };
    readonly to: string;
    readonly keptBecause?: unknown;
  }[];
  readonly signal?: AbortSignal | undefined;
}): Promise<void> {
  if (open === undefined) return;
  const { forge } = access;
  const conflicts = new Set(
    stopped.filter(({ reason }) => reason === 'conflict').map(({ message }) => message),
  );
  if (conflicts.size > 0) {
    const text = `**A newer revision was not added.** ${[...conflicts].join(' ')}`;
    await forge.upsertSticky(open.number, STOP_MARKER, text, signal);
    return;
  }
  if (brought.length === 0) return;
  const isAnnounced = (await forge.listComments(open.number, signal)).some(
    ({ author, body }) => author === ports.app.botLogin && body.startsWith(STOP_MARKER),
  );
  if (!isAnnounced) return;
  const text = brought
    .map(({ down, to }) => `${code(down.path)} is updated to ${upstreamText(to, code)}.`)
    .join(' ');
  await forge.upsertSticky(open.number, STOP_MARKER, text, signal);
}

/** Closes the open pull request, if it is Portico's, and says why. */
export async function closeOurs(
  ports: Pick<Ports, 'app'>,
  { downstreamRepository, open }: UpdatePlan,
  why: string,
  signal?: AbortSignal,
): Promise<void> {
  if (open !== undefined) await closeOurPull({ ports, downstreamRepository, pull: open, why, signal });
}

/** Begins what is said on a pull request that Portico closes; a person who closes one leaves nothing like it. */
export const CLOSED = '**Closed.**';

/** Closes a pull request, if it is Portico's, and says why. */
export async function closeOurPull({
  ports,
  downstreamRepository: {
    access: { forge },
  },
  pull,
  why,
  signal,
}: {
  readonly ports: Pick<Ports, 'app'>;
  readonly downstreamRepository: DownstreamRepository;
  readonly pull: Pull;
  readonly why: string;
  readonly signal?: AbortSignal | undefined;
}): Promise<void> {
  if (pull.author !== ports.app.botLogin) return;
  await forge.upsertSticky(pull.number, STOP_MARKER, `${CLOSED} ${why}`, signal);
  await forge.closePull(pull.number, signal);
}
