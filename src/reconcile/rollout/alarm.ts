/** Pure: whether the owners of a rollout have to hear of it, and what they read. */
import { repositoryName } from '../../catalog/catalog.ts';
import { digestOf } from '../../revision/digest.ts';
import { durationText } from '../../text/duration.ts';
import type { Notice } from '../job.ts';
import { code, foreignSentence } from '../text/markdown-blocks.ts';
import { aboutMark, approvalKey, packageOf, type AlarmLook } from './alarm-key.ts';

/** A wave that is open for so long, in milliseconds, waits for something that does not come by itself. */
export const MAX_OPEN_MS = 7 * 24 * 3_600_000;

export interface Alarm {
  /** What happened is told once for each of these: a rollout that goes on and stops again is told again. */
  readonly key: string;
  /** By which it is noted that the operator's webhook was told, without blanks and at most 63 characters. */
  readonly told: string;
  readonly type: Notice['type'];
  /** The upstream package, as `owner/name:path`; absent where it is about the document. */
  readonly package?: string;
  /** What happened, as plain text. */
  readonly message: string;
  /** The comment, behind the mentions of the owners. */
  readonly body: string;
}

/** None where the rollout goes on, and needs nobody for that. */
export function alarmsOf(look: AlarmLook, now: number): readonly Alarm[] {
  const halt = haltOf(look, now);
  return [...(halt === null ? [] : [halt]), ...approvalsNeeded(look)];
}

function haltOf(look: AlarmLook, now: number): Alarm | null {
  const { governed, revision, orders, plan } = look;
  const { rollout, upstream, path } = governed;
  const { name } = rollout;
  const event = whatHappened(plan, now);
  if (event === null) return null;
  const isMistake = rollout.mistake !== undefined;
  const about = isMistake ? 'document' : `${packageOf(look)}@${revision}`;
  const mark = isMistake
    ? aboutMark('document', '', event.type)
    : aboutMark(packageOf(look), revision, event.type);
  const what = `${repositoryName(upstream)}:${path}`;
  const heading = isMistake
    ? `The rollout ${code(name)} ${event.what}.`
    : `The rollout ${code(name)} of ${code(what)} ${code(revision)} ${event.what}.`;
  const help = helpFor(plan.state, { name, at: `${path}@${revision}`, isMistake });
  return {
    key: `${name} ${about} ${orders.resumedAt ?? 0}`,
    told: `${event.type}-${orders.resumedAt ?? 0}`,
    type: event.type,
    ...(!isMistake && { package: what }),
    message: `${heading.replaceAll('`', '')} ${event.why}`,
    body: [`**${heading}** ${foreignSentence(event.why)}`, ...help, mark].join('\n\n'),
  };
}

const NEEDED = 'rollout.approval-needed';

/** The text says nothing that changes while it waits: it would be written again. */
function approvalsNeeded(look: AlarmLook): readonly Alarm[] {
  const { governed, revision, plan } = look;
  if (plan.state !== 'running') return [];
  const { rollout, upstream, path } = governed;
  const { name } = rollout;
  const what = `${repositoryName(upstream)}:${path}`;
  return plan.waves
    .filter(({ awaitsApproval }) => awaitsApproval === true)
    .map((wave): Alarm => {
      const isLast = wave === plan.waves.at(-1);
      const heading = `Wave ${code(wave.name)} of the rollout ${code(name)} of ${code(what)} ${code(revision)} waits for an approval.`;
      const rest = 'Everything else in its gate holds.';
      const approve = `/portico rollout approve ${name} ${wave.name} ${path}@${revision}`;
      const pause = rollout.waves.find((one) => one.name === wave.name)?.pauseAfter ?? 0;
      const when = pause === 0 ? 'at once' : `after a pause of ${durationText(pause)}`;
      const next = isLast ? 'Then the rollout is done.' : `Then the next wave opens ${when}.`;
      const help = [
        `- To approve it: \`${approve}\`. ${next}`,
        `- To stop it here: \`/portico rollout stop ${name}\``,
        takeBack(name, `${path}@${revision}`),
      ].join('\n');
      return {
        key: approvalKey(look, wave.name),
        told: `approval-${digestOf('portico wave 1', [wave.name]).slice(-16)}`,
        type: NEEDED,
        package: what,
        message: `${heading.replaceAll('`', '')} ${rest} ${approve}`,
        body: [`**${heading}** ${rest}`, help, aboutMark(packageOf(look), revision, NEEDED)].join('\n\n'),
      };
    });
}

function takeBack(name: string, at: string): string {
  return `- To take it back: \`/portico rollout rollback ${name} ${at}\` gives each downstream that has it a proposal, at once, for the revision that it was at before, and lists them.`;
}

function whatHappened(
  { state, why, waves }: AlarmLook['plan'],
  now: number,
): { readonly type: Notice['type']; readonly what: string; readonly why: string } | null {
  if (state === 'stopped') return { type: 'rollout.stopped', what: 'is stopped', why };
  if (state === 'rolled-back') return { type: 'rollout.rolled-back', what: 'is rolled back', why };
  const late = waves.find(
    (wave) => wave.state === 'open' && wave.opensAt !== undefined && now - wave.opensAt > MAX_OPEN_MS,
  );
  if (late === undefined) return null;
  const days = MAX_OPEN_MS / 86_400_000;
  const waits = `Wave ${late.name} is open for more than ${days} days. ${late.why}`;
  return { type: 'rollout.waiting', what: 'does not go on', why: waits };
}

function helpFor(
  state: AlarmLook['plan']['state'],
  { name, at, isMistake }: { readonly name: string; readonly at: string; readonly isMistake: boolean },
): readonly string[] {
  if (isMistake) return ['Correct the document; the check `portico/config` names the line.'];
  const fix =
    '- To fix it, publish the next revision: it begins with the first wave, also where this one is being taken back.';
  const resume = `- To go on with it regardless: \`/portico rollout resume ${name}\``;
  if (state === 'rolled-back') {
    const back =
      'No one else gets it, and open updates that bring it are closed. Each downstream that has it gets a rollback pull request to the revision that it was at before; people merge it.';
    return [back, [fix, resume].join('\n')];
  }
  const undo = takeBack(name, at);
  if (state === 'stopped') {
    const held =
      'No one else gets it. Open updates are held: their check `portico` is not green until the rollout continues.';
    return [held, [undo, fix, resume].join('\n')];
  }
  const approve = `- If its gate is manual: \`/portico rollout approve ${name} <wave> ${at}\``;
  const pass = `- To pass its gate regardless: \`/portico rollout skip ${name} <wave>\``;
  return [[approve, pass, undo].join('\n')];
}
