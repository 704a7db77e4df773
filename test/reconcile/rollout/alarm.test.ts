import { describe, expect, test } from 'vitest';

import { newsMarker } from '../../../src/reconcile/repository/tell-people.ts';
import { alarmsOf, MAX_OPEN_MS, type Alarm } from '../../../src/reconcile/rollout/alarm.ts';
import { outdatedBody } from '../../../src/reconcile/rollout/outdated.ts';

type Look = Parameters<typeof alarmsOf>[0];

const alarmOf = (look: Look, now: number): Alarm | undefined => {
  const [first, ...more] = alarmsOf(look, now);
  expect(more).toEqual([]);
  return first;
};

const governed = (owners?: readonly string[], mistake?: string): Look['governed'] =>
  ({
    rollout: {
      name: 'web',
      upstreams: [],
      waves: [],
      ...(owners && { owners }),
      ...(mistake && { mistake }),
    },
    upstream: { ref: { id: 1, installationId: 1, owner: 'acme', name: 'up' } },
    directory: 'web',
    path: 'web',
  }) as never;

const look = (plan: Partial<Look['plan']>, change: Partial<Look> = {}): Look => ({
  governed: governed(['@acme/platform', '@bob']),
  revision: 'v4',
  orders: { skipped: new Map(), done: false },
  plan: { state: 'running', why: '', waves: [], ...plan },
  ...change,
});

describe('the owners of a rollout', () => {
  test('hear of one that stops, with what to do', () => {
    const said = alarmOf(look({ state: 'stopped', why: 'Wave one failed: @mona is ill.' }), 0);
    const body = said?.body ?? '';
    expect(said?.message).toBe(
      'The rollout web of acme/up:web v4 is stopped. Wave one failed: @mona is ill.',
    );
    expect(body).toMatch(/^\*\*The rollout `web` of `acme\/up:web` `v4` is stopped\.\*\*/);
    expect(body).toContain('`/portico rollout rollback web web@v4`');
    // Only who is named in the document is mentioned.
    expect(body).not.toContain(' @mona');
  });

  test('hear of one that goes back', () => {
    const said = alarmOf(look({ state: 'rolled-back', why: 'alice rolled it back.' }), 0);
    expect(said?.body).toContain(
      'Each downstream that has it gets a rollback pull request to the revision that it was at before',
    );
  });

  test('hear nothing of one that goes on, or is done', () => {
    expect(alarmOf(look({}), 0)).toBeUndefined();
    expect(alarmOf(look({ state: 'done' }), 0)).toBeUndefined();
  });

  test('hear of a wave that is open for a week, and not of one that pauses', () => {
    const wave = { name: 'one', opensAt: 0, why: '1 of 2 are healthy.' };
    const late = alarmOf(look({ waves: [{ ...wave, state: 'open' }] }), MAX_OPEN_MS + 1);
    expect(late?.body).toContain('does not go on');
    expect(late?.body).toContain('1 of 2 are healthy.');
    expect(late?.body).toContain('`/portico rollout approve web <wave> web@v4`');
    expect(alarmOf(look({ waves: [{ ...wave, state: 'open' }] }), MAX_OPEN_MS)).toBeUndefined();
    expect(alarmOf(look({ waves: [{ ...wave, state: 'pausing' }] }), MAX_OPEN_MS + 1)).toBeUndefined();
  });

  test('hear of it once, whatever becomes of it, and again only where it went on in between', () => {
    const stopped = alarmOf(look({ state: 'stopped' }), 0);
    expect(alarmOf(look({ state: 'rolled-back' }), 0)?.key).toBe(stopped?.key);
    const resumed = { skipped: new Map(), done: false, resumedAt: 5 };
    expect(alarmOf(look({ state: 'stopped' }, { orders: resumed }), 0)?.key).not.toBe(stopped?.key);
    const other = alarmOf(look({ state: 'stopped' }, { revision: 'v5' }), 0);
    expect(other?.key).not.toBe(stopped?.key);
  });

  test('hear of a wave that only their approval holds up, once for each wave and revision', () => {
    const wave = { name: 'one', state: 'open', opensAt: 0, why: 'It waits for an approval.' } as const;
    const ready = { ...wave, awaitsApproval: true } as const;
    const said = alarmOf(look({ waves: [ready] }), 0);
    expect(said).toMatchObject({
      type: 'rollout.approval-needed',
      message:
        'Wave one of the rollout web of acme/up:web v4 waits for an approval. Everything else in its gate holds. /portico rollout approve web one web@v4',
    });
    const command = '`/portico rollout approve web one web@v4`';
    expect(said?.body).toContain(`${command}. Then the rollout is done.`);
    const later = { name: 'two', state: 'waiting', why: '' } as const;
    const between = alarmOf(look({ waves: [ready, later] }), 0);
    expect(between?.body).toContain(`${command}. Then the next wave opens at once.`);
    expect(said?.told).toMatch(/^\S{1,63}$/);
    expect(alarmOf(look({ waves: [wave] }), 0)).toBeUndefined();
    expect(alarmOf(look({ state: 'stopped', waves: [ready] }), 0)?.type).toBe('rollout.stopped');
    const resumed = { skipped: new Map(), done: false, resumedAt: 5 };
    expect(alarmOf(look({ waves: [ready] }, { orders: resumed }), 0)).toEqual(said);
    const others = [
      alarmOf(look({ waves: [{ ...ready, name: 'two' }] }), 0),
      alarmOf(look({ waves: [ready] }, { revision: 'v5' }), 0),
    ];
    expect(new Set([said, ...others].map((one) => one?.key)).size).toBe(3);
    // It is open for a week, too.
    expect(alarmsOf(look({ waves: [ready] }), MAX_OPEN_MS + 1).map(({ type }) => type)).toEqual([
      'rollout.waiting',
      'rollout.approval-needed',
    ]);
  });

  test('read in a comment that it is outdated, and why', () => {
    const wave = { name: 'one', state: 'open', opensAt: 0, why: '' } as const;
    const asks = look({ waves: [{ ...wave, awaitsApproval: true }] });
    const halted = look({ state: 'stopped' });
    const undone = look({ state: 'rolled-back' });
    const mistaken = look({ state: 'stopped' }, { governed: governed(['@bob'], 'It is wrong.') });
    const resumed = { skipped: new Map(), done: false, resumedAt: 5 };
    const passed = look({ waves: [{ ...wave, state: 'passed' }] });
    const next = look({}, { revision: 'v5' });
    expect(told(asks, asks)).toBeUndefined();
    expect(told(asks, passed)).toBe('the wave passed its gate.');
    expect(told(asks, look({ waves: [{ ...wave, state: 'paused' }] }))).toBe('the wave was paused.');
    expect(told(asks, look({ waves: [wave] }))).toBe('the rest of the gate stopped holding.');
    expect(told(asks, halted)).toBe('the rollout was stopped.');
    expect(told(asks, undone)).toBe('the rollout was rolled back.');
    expect(told(asks, next)).toBe('`v5` was published.');
    expect(told(asks, next, false)).toBeUndefined();
    expect(told(undone, next)).toBeUndefined();
    expect(told(halted, undone)).toBeUndefined();
    expect(told(undone, look({}, { orders: resumed }))).toBe('the rollout continued.');
    expect(told(undone, look({ state: 'stopped' }, { orders: resumed }))).toBe('the rollout continued.');
    expect(told(mistaken, passed)).toBe('the document was corrected.');
    expect(told(halted, mistaken)).toBeUndefined();
  });

  test('hear of a mistake in its document once for all packages', () => {
    const mistake = { governed: governed(['@bob'], 'It is wrong.') };
    const first = alarmOf(look({ state: 'stopped', why: 'It is wrong.' }, mistake), 0);
    const second = alarmOf(
      look({ state: 'stopped', why: 'It is wrong.' }, { ...mistake, revision: 'v9' }),
      0,
    );
    expect(first?.body).toContain('Correct the document');
    expect(second).toEqual(first);
  });
});

/** The first line of a comment that said so once, as a later look corrects it; a second correction changes nothing. */
function told(said: Look, now: Look, isNewest = true): string | undefined {
  const { key, body } = alarmOf(said, 0)!;
  const comment = `${newsMarker('rollout', key)}\n@bob ${body}`;
  const alarms = alarmsOf(now, 0);
  const corrected = outdatedBody(now, { alarms, isNewest, comment });
  if (corrected === undefined) return undefined;
  const again = `${corrected.marker}\n${corrected.body}`;
  expect(outdatedBody(now, { alarms, isNewest, comment: again })).toBeUndefined();
  expect(again.endsWith(body)).toBe(true);
  return corrected.body.split('\n')[0]?.replace('**No longer so:** ', '');
}
