/** Pure: which comments about a rollout are no longer true, and why. A question that was answered must not stay. */
import type { Notice } from '../job.ts';
import { newsMarker } from '../repository/tell-people.ts';
import { code } from '../text/markdown-blocks.ts';
import { approvalKey, packageOf, shortHash, type AlarmLook } from './alarm-key.ts';
import type { Alarm } from './alarm.ts';

type Type = Notice['type'];

/** The last line of a comment says what it is about. */
const MARK = /\n<!-- portico:about (\S+) (\S+) (\S+) -->\s*$/;

const LINE = '**No longer so:**';

/** A question about an older revision needs no answer any more; that its rollout was stopped or rolled back stays true. */
const SUPERSEDED: readonly string[] = ['rollout.approval-needed', 'rollout.waiting'] satisfies Type[];

export function isSuperseded({ type }: Pick<Alarm, 'type'>): boolean {
  return SUPERSEDED.includes(type);
}

/** The body that an outdated comment gets, without its marker; undefined where it is to stay as it is. */
export function outdatedBody(
  look: AlarmLook,
  {
    alarms,
    isNewest,
    comment,
  }: { readonly alarms: readonly Alarm[]; readonly isNewest: boolean; readonly comment: string },
): { readonly marker: string; readonly body: string } | undefined {
  const text = comment.replaceAll('\r\n', '\n').trimStart();
  const [, marker = '', body = ''] = /^(<!-- portico:rollout \S+ -->)\n(.*)$/s.exec(text) ?? [];
  const [, about, revision, type] = MARK.exec(body) ?? [];
  if (about === undefined || body.startsWith(LINE)) return undefined;
  if (alarms.some(({ key }) => newsMarker('rollout', key) === marker)) return undefined;
  const why = whyOutdated(look, { about, revision, type, marker, isNewest });
  return why === undefined ? undefined : { marker, body: `${LINE} ${why}\n\n${body}` };
}

function whyOutdated(
  look: AlarmLook,
  {
    about,
    revision,
    type = '',
    marker,
    isNewest,
  }: {
    readonly about: string;
    readonly revision: string | undefined;
    readonly type: string | undefined;
    readonly marker: string;
    readonly isNewest: boolean;
  },
): string | undefined {
  const { governed, plan } = look;
  if (governed.rollout.mistake !== undefined) return undefined;
  if (about === shortHash('document')) return 'the document was corrected.';
  if (about !== shortHash(packageOf(look))) return undefined;
  if (revision !== shortHash(look.revision))
    return isNewest && SUPERSEDED.includes(type) ? `${code(look.revision)} was published.` : undefined;
  if (plan.state === 'stopped' && SUPERSEDED.includes(type)) return 'the rollout was stopped.';
  if (plan.state === 'rolled-back' && SUPERSEDED.includes(type)) return 'the rollout was rolled back.';
  const wave = plan.waves.find(({ name }) => newsMarker('rollout', approvalKey(look, name)) === marker);
  if (wave === undefined) return 'the rollout continued.';
  if (wave.state === 'paused') return 'the wave was paused.';
  return wave.state === 'passed' || wave.state === 'pausing'
    ? 'the wave passed its gate.'
    : 'the rest of the gate stopped holding.';
}
