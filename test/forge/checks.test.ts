import nock from 'nock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { CheckInput } from '../../src/reconcile/forge/checks.ts';
import { mockForge, ORIGIN, record, REPO } from './forge-mock.ts';
import type { Json } from './forge-mock.ts';

const SHA = 'a'.repeat(40);
const CHECK: CheckInput = {
  name: 'portico/render',
  headSha: SHA,
  externalId: 'run-1',
  status: 'completed',
  conclusion: 'success',
  title: 'Rendered',
  summary: 'All fine.',
};
const run = (fields: Json): Json => ({
  id: 3,
  name: CHECK.name,
  head_sha: SHA,
  external_id: 'run-1',
  status: 'completed',
  conclusion: 'success',
  app: { id: 77 },
  output: { title: 'Rendered', summary: 'All fine.', annotations_count: 0 },
  started_at: null,
  completed_at: null,
  html_url: null,
  ...fields,
});
const runs = (...check_runs: Json[]): void => {
  const query = { check_name: CHECK.name, app_id: 77, filter: 'latest', per_page: 100 };
  nock(ORIGIN)
    .get(`${REPO}/commits/${SHA}/check-runs`)
    .query(query)
    .reply(200, { total_count: check_runs.length, check_runs });
};
const annotation = (line: number) => ({
  path: 'a.yaml',
  startLine: line,
  endLine: line,
  startColumn: 1,
  endColumn: 2,
  level: 'failure' as const,
  message: `m${line}`,
});

beforeEach(() => nock.disableNetConnect());
afterEach(() => {
  nock.cleanAll();
  nock.enableNetConnect();
});

describe('checks', () => {
  test('an equal one costs no write; a changed one is changed; one set back by a re-run is put again', async () => {
    const { repository } = mockForge();
    const created = record('post', `${REPO}/check-runs`, run({}));
    runs();
    expect(await repository.putCheck(CHECK)).toEqual({ id: 3, written: 'created' });
    const external_id = created[0]?.['external_id'];
    expect(external_id).toMatch(/^run-1#[0-9a-f]{16}$/);
    runs(run({ external_id }));
    expect(await repository.putCheck(CHECK)).toEqual({ id: 3, written: 'unchanged' });
    const updated = record('patch', `${REPO}/check-runs/3`, run({}));
    runs(run({ external_id }));
    expect(await repository.putCheck({ ...CHECK, summary: 'Other.' })).toEqual({ id: 3, written: 'updated' });
    runs(run({ external_id, status: 'queued', conclusion: null }));
    expect(await repository.putCheck(CHECK)).toEqual({ id: 3, written: 'updated' });
    expect(updated).toHaveLength(2);
  });

  test("another App's run of that name is not ours", async () => {
    const { repository } = mockForge();
    record('post', `${REPO}/check-runs`, run({ id: 4 }));
    runs(run({ app: { id: 666 } }));
    expect(await repository.putCheck(CHECK)).toEqual({ id: 4, written: 'created' });
  });

  test('120 annotations are three calls, and only the last completes', async () => {
    const { repository } = mockForge();
    const created = record('post', `${REPO}/check-runs`, run({}));
    const updated = record('patch', `${REPO}/check-runs/3`, run({}));
    runs();
    const annotations = Array.from({ length: 120 }, (_, n) => annotation(n + 1));
    await repository.putCheck({ ...CHECK, conclusion: 'failure', annotations });
    const all = [...created, ...updated] as {
      status: string;
      external_id: string;
      output: { annotations: Json[] };
    }[];
    expect(all.map((one) => one.output.annotations.length)).toEqual([50, 50, 20]);
    expect(all.map((one) => one.status)).toEqual(['in_progress', 'in_progress', 'completed']);
    expect(all.map((one) => one.external_id.includes('#'))).toEqual([false, false, true]);
    expect(all[2]!.output.annotations[19]).toEqual({
      path: 'a.yaml',
      start_line: 120,
      end_line: 120,
      start_column: 1,
      end_column: 2,
      annotation_level: 'failure',
      message: 'm120',
    });
  });

  test('a run that has annotations gets a successor, because they cannot be taken back', async () => {
    const { repository } = mockForge();
    record('post', `${REPO}/check-runs`, run({ id: 4 }));
    runs(run({ output: { title: '', summary: '', annotations_count: 1 } }));
    expect(await repository.putCheck(CHECK)).toEqual({ id: 4, written: 'created' });
    runs(run({}));
    expect(
      await repository.putCheck({ ...CHECK, status: 'in_progress', conclusion: undefined } as never),
    ).toEqual({ id: 4, written: 'created' });
  });

  test('texts are cut, and what GitHub would refuse is refused here', async () => {
    const { repository } = mockForge();
    const created = record('post', `${REPO}/check-runs`, run({}));
    runs();
    const long = `\`\`\`diff\n${'+ x\n'.repeat(20_000)}\`\`\``;
    await repository.putCheck({ ...CHECK, summary: long, text: long, title: 't'.repeat(300) });
    const output = created[0]?.['output'] as { summary: string; text: string; title: string };
    expect([output.summary.length, output.text.length].every((length) => length <= 65_535)).toBe(true);
    expect(Buffer.byteLength(output.title)).toBe(255);
    const action = { label: 'Render', description: 'Render again', identifier: 'render' };
    for (const wrong of [
      { actions: [action, action, action, action] },
      { actions: [{ ...action, label: 'x'.repeat(21) }] },
      { status: 'in_progress' as const },
    ]) {
      await expect(repository.putCheck({ ...CHECK, ...wrong })).rejects.toMatchObject({
        code: 'CHECK_INVALID',
      });
    }
  });
});
