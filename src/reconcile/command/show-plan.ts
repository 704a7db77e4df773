import type { Catalog } from '../../catalog/catalog.ts';
import { channelFileOf, isSound, packageOfChannelFile } from '../../channels/judge-file.ts';
import { offerOf, type PackageOffer } from '../../channels/offer.ts';
import type { PackageChannels } from '../../channels/package-channels.ts';
import { followText } from '../../channels/plan.ts';
import { planUpdate } from '../../channels/plan.ts';
import { shown } from '../../command/arguments.ts';
import type { Step } from '../../command/step.ts';
import { newestInRange } from '../../config/follow.ts';
import { packagePathOf, pathInRepository } from '../../revision/package-path.ts';
import { notShown } from '../../text/counted.ts';
import { shorten } from '../../text/cut-text.ts';
import { table } from '../../text/markdown.ts';
import { upstreamText } from '../../text/revision-text.ts';
import { CONFIG_CHECK } from '../check-names.ts';
import { configText } from '../check/config-check.ts';
import { createTrialMemory } from '../check/config-trial.ts';
import { visibleFollowers } from '../downstream/downstream-progress.ts';
import type { Ports, RepositoryAccess } from '../ports.ts';
import { mergedTree } from '../promotion/proposed-channels.ts';
import { loadGuardrails } from '../render/guardrails.ts';
import { packageChannels, publishedNumbers, type ChannelPlace } from '../repository/channel-files.ts';
import { channelRevision, loadRevisionRefs, revisionsByDirectory } from '../repository/package-revisions.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { openRegistered } from '../repository/registered.ts';
import { digestAt, loadApprovals } from '../review/approvals.ts';
import { configApproval } from '../review/config-approval.ts';
import { configurationEffects } from '../review/configuration-effects.ts';
import { proposedConfig } from '../review/proposed-config.ts';
import { beneathProposal } from '../review/unpublished-beneath.ts';
import { nextOf, rolledBackOf } from '../rollout/rolled-back.ts';
import type { StepOutcome } from '../step-outcome.ts';
import { code, foreignSentence } from '../text/markdown-blocks.ts';
import { catchUserError } from '../text/why-refused.ts';

/** Rows of one answer: a comment holds 65,536 characters. */
const MAX_ROWS = 100;
/** Packages whose channel files are read for one answer. */
const MAX_PACKAGES = 200;
/** Characters of one reason: a path may have hundreds of steps. */
const MAX_WHY = 300;
/** Sentences above the table. */
const MAX_NOTES = 20;

interface Asking {
  readonly ports: Ports;
  readonly access: RepositoryAccess;
  readonly snapshot: ProposalSnapshot | null;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Answers with what every package downstream gets next, below what a pull request changes of the configuration. Nothing is
 * written.
 */
export async function showPlan({
  step,
  ...asking
}: Asking & { readonly step: Extract<Step, { do: 'show-plan' }> }): Promise<StepOutcome> {
  const changed = step.package === undefined ? await configurationPlan(asking) : '';
  const plan = await downstreamPlan(asking, step.package);
  if (changed === '') return plan;
  const reply = plan.kind === 'done' ? (plan.reply ?? '') : `${plan.message} ${plan.hint}`;
  return { kind: 'done', reply: `${changed}\n\n${reply}` };
}

/** What merging the pull request changes of the configuration in effect; '' for nothing. */
async function configurationPlan({ ports, access, snapshot, signal }: Asking): Promise<string> {
  if (snapshot === null) return '';
  const { config, base, head } = snapshot;
  const inForce = await loadGuardrails({ git: access.git, config, base, now: ports.now(), signal });
  const memory = ports.memories.of(createTrialMemory);
  const found = await proposedConfig({ ports, memory, access, registered: snapshot, inForce, signal });
  if (found === null) return '';
  if (found.problems.length > 0) return `The configuration has errors: see the check ${code(CONFIG_CHECK)}.`;
  const approvals = await loadApprovals({
    ports,
    access,
    snapshot,
    digest: await digestAt(access, head.oid, signal),
    known: { beneath: () => beneathProposal(ports, access, snapshot, signal) },
    signal,
  });
  const approval = await configApproval({ access, snapshot, changes: found.changes, approvals, signal });
  const effects = await configurationEffects({ ports, access, signal }, snapshot, found);
  return configText({ ...found, approval, effects });
}

async function downstreamPlan(asking: Asking, named: string | undefined): Promise<StepOutcome> {
  const { ports, access, signal } = asking;
  const upstream = ports.catalog.get(access.ref.id);
  const place = await placeOf(asking);
  if (place === null || upstream === undefined) {
    const hint = 'Try again in a few minutes.';
    return { kind: 'refused', message: 'This repository has not been indexed yet.', hint };
  }
  const published = [...revisionsByDirectory(place.refs).keys()].flatMap(
    (directory) => packagePathOf(place.registered, directory) ?? [],
  );
  if (named !== undefined && !published.includes(named)) {
    const hint = 'Write the package path relative to the registered directory.';
    return { kind: 'refused', message: `${shown(named)} has no published revision.`, hint };
  }
  const followed = (named === undefined ? published.sort() : [named]).flatMap((path) => {
    const found = visibleFollowers(ports.catalog, upstream, pathInRepository(place.registered, path));
    // A number of those that may not be known here would tell that they are there.
    return found.visible.length > 0 ? [{ path, visible: found.visible }] : [];
  });
  const rows: string[][] = [];
  const notes: string[] = [];
  for (const { path, visible } of followed.slice(0, MAX_PACKAGES)) {
    signal?.throwIfAborted();
    const { note, ...channels } = await channelsOf(asking, place, path);
    if (note !== undefined) notes.push(note);
    rows.push(...rowsOf(ports.catalog, place, { path, visible, ...channels }));
  }
  const all = followed.reduce((sum, { visible }) => sum + visible.length, 0);
  return { kind: 'done', reply: replyText(rows, notes, all) };
}

function replyText(rows: readonly (readonly string[])[], notes: readonly string[], all: number): string {
  const listed = rows.slice(0, MAX_ROWS);
  const left = all - listed.length;
  if (all === 0) return 'No known package is made from a package of this repository.';
  return [
    ...notes.slice(0, MAX_NOTES),
    ...(listed.length > 0
      ? [table(['downstream', 'made from', 'follows', 'at', 'next', 'why'], listed)]
      : []),
    ...(left > 0 ? [notShown(left)] : []),
  ].join('\n\n');
}

/** The registered branch; of a proposal its base. */
async function placeOf({ access, snapshot, signal }: Asking): Promise<ChannelPlace | null> {
  const { git } = access;
  if (snapshot !== null) {
    const refs = await loadRevisionRefs(git, signal);
    return { git, head: snapshot.base, refs, registered: snapshot.config.directory };
  }
  const found = await openRegistered(access, { isFetched: true }, signal);
  if (found.kind === 'none') return null;
  const refs = await loadRevisionRefs(git, signal);
  return { git, head: found.head, refs, registered: found.config.directory };
}

interface Channels {
  readonly document?: PackageChannels;
  /** Nobody is led by its channels until the file is fixed. */
  readonly stopped?: boolean;
}

/** The channel file of a package as it is proposed here, or as it counts now. */
async function channelsOf(
  { ports, access, snapshot, signal }: Asking,
  place: ChannelPlace,
  path: string,
): Promise<Channels & { readonly note?: string }> {
  const file = channelFileOf(path);
  const state = await packageChannels(ports, place, path, signal);
  const now: Channels =
    state === null ? {} : state.document === undefined ? { stopped: true } : { document: state.document };
  if (!snapshot?.otherFiles.some((one) => packageOfChannelFile(one.path) === path)) return now;
  const { tree, conflicts } = await mergedTree(access, snapshot, signal);
  const unusable = {
    ...now,
    note: `${code(file)} cannot be used as it is proposed here: its check says why.`,
  };
  if (conflicts.includes(file)) return unusable;
  const bytes = await access.git.readFile(tree, file, signal);
  if (bytes === null) return {};
  const facts = { path, published: publishedNumbers(place, path), hotfix: true };
  return catchUserError(
    async () => {
      const judged = await ports.content.channels(new TextDecoder().decode(bytes), facts, signal);
      return isSound(judged) && judged.channels !== undefined ? { document: judged.channels } : unusable;
    },
    () => unusable,
  );
}

type Visible = ReturnType<typeof visibleFollowers>['visible'];

function rowsOf(
  catalog: Catalog,
  { git, refs, registered }: ChannelPlace,
  {
    path,
    visible,
    document,
    stopped = false,
  }: Channels & { readonly path: string; readonly visible: Visible },
): string[][] {
  const directory = pathInRepository(registered, path);
  const names = revisionsByDirectory(refs).get(directory) ?? [];
  const followed = new Set(
    visible.flatMap(({ follow }) => (follow?.kind === 'channel' ? [follow.channel] : [])),
  );
  const tags = [...followed].flatMap((channel) => {
    const revision = channelRevision(refs, directory, channel);
    return revision === undefined ? [] : [[channel, revision] as const];
  });
  const offer = offerOf(path, names, document, new Map(tags));
  const rolledBack = rolledBackOf(catalog, git.repository, directory);
  return visible.map((one) => rowOf({ offer, stopped, rolledBack }, one));
}

function rowOf(
  {
    offer,
    stopped,
    rolledBack,
  }: { readonly offer: PackageOffer; readonly stopped: boolean; readonly rolledBack: readonly string[] },
  { name, repository, at, follow = { kind: 'latest' } }: Visible[number],
): string[] {
  const { policy, onWithdrawn } = repository.updates ?? {};
  const start = [
    code(name),
    code(offer.path),
    code(followText(follow)),
    at === undefined ? '–' : upstreamText(at, code),
  ];
  if (at === undefined || !offer.revisions.includes(at)) {
    return [...start, '–', 'It is not made yet, or is locked to no revision.'];
  }
  if (stopped && follow.kind === 'channel') {
    return [...start, '–', 'The channel file has errors, so the channels of the package are stopped.'];
  }
  const position = { kind: 'revision', revision: at } as const;
  const planned = planUpdate(offer, { at: position, follow, newestInRange, ...(policy && { policy }) });
  const { to, message } = nextOf(planned, { at, rolledBack, onWithdrawn });
  return [
    ...start,
    to === undefined ? '–' : upstreamText(to, code),
    foreignSentence(shorten(message, MAX_WHY)),
  ];
}
