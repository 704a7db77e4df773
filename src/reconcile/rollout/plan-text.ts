/** Pure: what a rollout will do, as the answer to `/portico rollout plan` says it. */
import { repositoryName } from '../../catalog/catalog.ts';
import type { WavePlan } from '../../package/rollout/plan.ts';
import type { Wave } from '../../package/rollout/rollout.ts';
import { waveTimings, type WaveTiming } from '../../package/rollout/timing.ts';
import { durationText, momentText } from '../../text/duration.ts';
import { table } from '../../text/markdown.ts';
import { upstreamText } from '../../text/revision-text.ts';
import { code, foreignSentence } from '../text/markdown-blocks.ts';
import type { RolloutMember } from './facts.ts';
import { wayBackText } from './rolled-back.ts';
import type { RolloutLook } from './rollouts.ts';

/** Packages of one answer, and downstreams of each wave that are named; the others are counted. */
const MAX_PACKAGES = 10;
const MAX_NAMED = 30;

/** One section for each package: which downstream is in which wave, and what has to happen before the next one opens. */
export function planText(name: string, looks: readonly RolloutLook[], now: Date): string {
  if (looks.length === 0) return `None of the packages of the rollout ${code(name)} is published.`;
  const more = looks.length - MAX_PACKAGES;
  return [
    ...looks.slice(0, MAX_PACKAGES).map((look) => packagePlan(look, now)),
    ...(more > 0 ? [`${more} more packages are not shown.`] : []),
  ].join('\n\n');
}

function packagePlan(look: RolloutLook, now: Date): string {
  const { governed, revision, plan, orders } = look;
  const { rollout, upstream, path } = governed;
  const at = { now: now.getTime(), resumedAt: orders.resumedAt };
  const timings = waveTimings(plan, rollout.waves, at);
  const rows = plan.waves
    .map((wave, place) => ({ wave, timing: timings[place] ?? {} }))
    .filter(({ wave: { members } }) => members.length === 0 || members.some(({ hidden }) => !hidden))
    .map(({ wave, timing }) => [
      code(wave.name),
      wave.state,
      timingText(timing, now),
      namesOf(wave),
      foreignSentence(wave.why),
      gateText(rollout.waves.find((one) => one.name === wave.name)),
    ]);
  const what = `${code(`${repositoryName(upstream)}:${path}`)} ${upstreamText(revision, code)}`;
  const why = plan.why === '' ? '' : ` ${foreignSentence(plan.why)}`;
  const back = wayBackText(look);
  return [
    `**${what}**: ${plan.state}.${why}`,
    ...(back === '' ? [] : [back]),
    table(['wave', 'state', 'opens', 'downstreams', 'now', 'the next wave opens when'], rows),
  ].join('\n\n');
}

/** `not before`: it opens then if every gate before it holds as soon as it can. */
function timingText({ opensAt, notBefore, failsAt }: WaveTiming, now: Date): string {
  const opens =
    opensAt !== undefined
      ? `${opensAt <= now.getTime() ? 'opened' : 'opens'} ${momentText(opensAt)}`
      : notBefore === undefined
        ? ''
        : `not before ${momentText(notBefore)}`;
  return failsAt === undefined
    ? opens
    : `${opens}; fails ${momentText(failsAt)} unless its gate holds by then`;
}

function namesOf({ members }: WavePlan<RolloutMember>): string {
  const named = members.filter(({ hidden }) => !hidden);
  const shown = named
    .slice(0, MAX_NAMED)
    .map(
      ({ name, standing, at }) =>
        `${code(name)} (${at === undefined ? '' : `${upstreamText(at)}, `}${standing})`,
    );
  const left = named.length - shown.length;
  return [...shown, ...(left > 0 ? [`${left} more`] : [])].join(', ');
}

function gateText(wave: Wave | undefined): string {
  if (wave === undefined) return '';
  const { gate, pauseAfter } = wave;
  const { published, statuses, deployments, timeout, manual, urls, stopAt, onFailure } = gate;
  const share = (one: typeof published): string =>
    one.kind === 'count' ? String(one.count) : `${one.percent}%`;
  return [
    `${share(published)} have published it`,
    ...statuses.map((one) => `status ${code(one)}`),
    ...deployments.map((one) => `deployment to ${code(one)}`),
    ...(urls ?? []).map((one) => `${code(new URL(one).host)} says that it holds`),
    ...(manual === true ? ['somebody approves'] : []),
    ...(pauseAfter > 0 ? [`${durationText(pauseAfter)} have passed`] : []),
    ...(timeout === undefined ? [] : [`at most ${durationText(timeout)} after it opened`]),
    ...(stopAt === undefined ? [] : [`fewer than ${share(stopAt)} fail`]),
    ...(onFailure === 'rollback' ? ['else it is rolled back'] : []),
  ].join('; ');
}
