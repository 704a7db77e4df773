/** Whether a rollout holds an open update pull request, and in which words its check, its comment and its refusals say so. */
import { repositoryName } from '../../catalog/catalog.ts';
import { verdictIn, verdictOn, type Verdict } from '../../package/rollout/plan.ts';
import { packagePathOf, repositoryDirectory } from '../../revision/package-path.ts';
import { parseBranch } from '../../revision/ref-name.ts';
import { joined } from '../../text/joined.ts';
import { upstreamText } from '../../text/revision-text.ts';
import { prepareVariants } from '../downstream/prepare-variants.ts';
import { variantPlan } from '../downstream/variant-plan.ts';
import type { Git } from '../git-port.ts';
import type { Ports } from '../ports.ts';
import { readKptfileAt, withMappedLock } from '../repository/kptfile-at.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { mayFlow, partyOf } from '../repository/visibility.ts';
import { needKnownIndex } from '../repository/whole-index.ts';
import { newestSealed, packagesOf, type UpdatedPackage } from '../seal/update-record.ts';
import { code, foreignSentence } from '../text/markdown-blocks.ts';
import { revisionOf } from './history.ts';
import { isOlder } from './led-back.ts';
import { lookNow, recentLook, restOf, standingOf, whyHalted, type RolloutLook } from './rollouts.ts';
import { rolloutsOf, type Governed } from './scope.ts';

export interface Hold {
  /** One line without a full stop, such as `Held: rollout apps is stopped; alice stopped it`. */
  readonly title: string;
  /** What a person can do, in sentences of Markdown. */
  readonly remedy: string;
  /** Markdown: the rollout, its revision and the reason. */
  readonly text: string;
  /** Not all facts are known yet: they are after so many seconds. */
  readonly again?: number;
}

/** An open pull request, and the commit of it that is judged. */
type Update = Pick<ProposalSnapshot, 'facts' | 'pull' | 'config' | 'base'> & {
  readonly head: { readonly oid: string };
};

/**
 * Why a rollout does not let an update be merged now; undefined where none holds it, also where a person asked for this revision by
 * command and where it goes back to an older one. `isLast`: something is merged next, so newer orders are fetched.
 * @throws PorticoError INDEX_INCOMPLETE, upon which the job is done later
 */
export async function holdOn(
  ports: Ports,
  git: Git,
  update: Update,
  { isLast, signal }: { readonly isLast: boolean; readonly signal?: AbortSignal | undefined },
): Promise<Hold | undefined> {
  const { facts, pull, head, config } = update;
  const isOurs = pull.author === ports.app.botLogin && pull.headRepositoryId === facts.id;
  if (!isOurs || pull.state !== 'open' || parseBranch(pull.headRef)?.kind !== 'update') return undefined;
  const ours = await newestSealed(git, { head: head.oid, base: update.base }, ports.seals, signal);
  if (ours === null) return undefined;
  // Right after a start not all rollouts are known.
  needKnownIndex(ports);
  await prepareVariants(ports);
  const packages = packagesOf(ours.record);
  for (const one of packages) {
    const path = packagePathOf(config.directory, one.directory) ?? one.directory;
    const planned = variantPlan(ports.catalog).at(facts.id, path);
    if (config.updates.follow.kind === 'none' && planned === undefined) continue;
    // Others of a group would come along unasked.
    if (one.asked === true && packages.length === 1) continue;
    const governed = await governedBy(ports, git, { ...update, commit: ours.commit.oid, one }, signal);
    if (governed === undefined) continue;
    const look = await (isLast ? lookNow : recentLook)(ports, governed, one.to, signal);
    const hold = look === null ? undefined : holdOf(ports, look, { ...update, path, one, packages });
    if (hold !== undefined) return hold;
  }
  return undefined;
}

/** The rollout that a package of an update goes by; undefined where none does, and where the package goes back. */
async function governedBy(
  { catalog }: Pick<Ports, 'catalog'>,
  git: Git,
  {
    base,
    commit,
    config,
    one: { directory, to },
  }: Pick<Update, 'base' | 'config'> & { readonly commit: string; readonly one: UpdatedPackage },
  signal: AbortSignal | undefined,
): Promise<Governed | undefined> {
  const { map } = config.upstreams;
  const [before, now] = await Promise.all(
    [base, commit].map(
      async (at) =>
        withMappedLock(await readKptfileAt(git, at, directory, signal), map).kptfile?.upstreamLock?.git,
    ),
  );
  // A renewal of sources leaves the lock as it is.
  if (now === undefined || revisionOf(now.ref) !== to) return undefined;
  const current = before === undefined ? undefined : revisionOf(before.ref);
  if (current !== undefined && isOlder(to, current)) return undefined;
  const upstream = catalog.byUrl(now.repo);
  if (upstream === undefined) return undefined;
  return rolloutsOf(catalog).of(upstream.ref.id, repositoryDirectory(now.directory));
}

interface Held extends Update {
  readonly path: string;
  readonly one: UpdatedPackage;
  readonly packages: readonly UpdatedPackage[];
}

function holdOf(ports: Ports, look: RolloutLook, held: Held): Hold | undefined {
  const { governed, plan, unasked, revision } = look;
  const id = `${held.facts.id}:${held.path}`;
  const wave = plan.waveOf.get(id);
  let verdict: Verdict | 'unknown' = verdictOn(plan, id);
  if (unasked !== undefined && orderedState(look) === undefined) {
    // Part of what opens waves was not asked for: the last whole look counts.
    const last = standingOf(ports.catalog, governed);
    const at = wave === undefined ? -1 : plan.waves.indexOf(wave);
    verdict = last?.revision === revision ? verdictIn(last.state, last.waves[at]) : 'unknown';
  }
  if (verdict === 'may-open') return undefined;
  const again = { again: Math.max(1, unasked ?? 0, restOf(ports, governed)) };
  const { control, rollout, upstream, path } = governed;
  const here = partyOf(held);
  const [state, reason, resume] = wordsOf(verdict, { plan, wave, here, name: rollout.name });
  // What may not be known in this repository is not named here.
  if (!mayFlow(control, here)) {
    const title = `Held: ${verdict === 'wave-waiting' ? 'its wave is not open' : 'its rollout is halted'}`;
    const text = `**${title}.** The rollout is in a repository that readers of this one may not know.`;
    return { title, text, remedy: WAIT, ...(verdict === 'unknown' && again) };
  }
  const what = `${code(`${repositoryName(upstream)}:${path}`)} ${upstreamText(revision, code)}`;
  const place = code(repositoryName(control));
  const remedy = joined(
    [
      WAIT,
      resume === undefined ? '' : `In ${place}, \`/portico rollout ${resume}\` continues it.`,
      held.packages.length > 1
        ? ''
        : `To bring this revision here regardless, comment \`/portico update ${held.path}@${revision}\`.`,
    ],
    ' ',
  );
  const why = reason === '' ? '' : ` ${foreignSentence(reason)}`;
  return {
    title: `Held: ${joined([state, reason.replace(/\.$/, '')], '; ')}`,
    text: `**Held by the rollout ${code(rollout.name)}** of ${what}, defined in ${place}: ${state}.${why}`,
    remedy,
    ...(verdict === 'unknown' && again),
  };
}

const WAIT = 'Wait: this check turns green by itself when the rollout continues.';

/** Orders and mistakes halt it, whatever else is known. */
function orderedState({ governed, orders }: RolloutLook): string | undefined {
  return orders.rolledBack ?? orders.stopped ?? governed.rollout.mistake;
}

type Words = readonly [state: string, reason: string, resume: string | undefined];

function wordsOf(
  verdict: Verdict | 'unknown',
  {
    plan,
    wave,
    here,
    name,
  }: {
    readonly plan: RolloutLook['plan'];
    readonly wave: RolloutLook['plan']['waves'][number] | undefined;
    readonly here: Parameters<typeof whyHalted>[1];
    readonly name: string;
  },
): Words {
  if (verdict === 'unknown') return [`rollout ${name} is still being checked`, '', undefined];
  if (verdict === 'wave-stopped')
    return [`rollout ${name} is stopped`, whyHalted(plan, here), `resume ${name}`];
  if (verdict === 'wave-rolled-back')
    return [`rollout ${name} is rolled back`, whyHalted(plan, here), `resume ${name}`];
  if (wave?.state === 'paused')
    return [`wave ${wave.name} of rollout ${name} is paused`, wave.why, `resume ${name} ${wave.name}`];
  const which =
    wave === undefined
      ? 'its wave'
      : `wave ${wave.name} (${plan.waves.indexOf(wave) + 1} of ${plan.waves.length})`;
  return [`${which} of rollout ${name} is not open`, wave?.why ?? '', undefined];
}
