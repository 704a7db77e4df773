import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { closeClean, collaboration, names, refused, REPO } from './collaboration-fixture.ts';
import type { Collaboration } from './collaboration-fixture.ts';

let forge: Collaboration;
let head: string;

beforeAll(async () => {
  forge = await collaboration();
  head = await forge.commit('draft', { 'new.yaml': 'a: 1\n' }, { from: 'main' });
});
afterAll(() => closeClean(forge));

const create = (more: object) =>
  forge.app.rest.checks.create({ ...REPO, name: 'portico/render', head_sha: head, ...more });

const annotation = (line: number) => ({
  path: 'new.yaml',
  start_line: line,
  end_line: line,
  annotation_level: 'warning' as const,
  message: `Line ${line}`,
});

const listed = async (query: object) =>
  (await forge.eve.rest.checks.listForRef({ ...REPO, ref: 'draft', ...query })).data;

const output = (more: object) => ({ output: { title: 't', summary: 's', ...more } });

const report = (state: 'pending' | 'success' | 'failure', context: string) =>
  forge.bob.rest.repos.createCommitStatus({ ...REPO, sha: head, state, context, description: 'd' });

describe('check suites', () => {
  test('are requested from the App for every pushed branch', async () => {
    forge.hooks();
    const sha = await forge.commit('pushed', { 'p.yaml': 'a: 1\n' }, { from: 'main' });
    const requested = forge.hooks().find((hook) => hook.event === 'check_suite');
    expect(requested).toMatchObject({
      action: 'requested',
      payload: {
        check_suite: { head_sha: sha, head_branch: 'pushed', status: 'queued' },
        sender: { login: 'bob' },
      },
    });
  });

  test('are read, asked for again and follow their runs', async () => {
    const suites = (await forge.app.rest.checks.listSuitesForRef({ ...REPO, ref: 'pushed' })).data;
    expect(suites.total_count).toBe(1);
    const suite = { ...REPO, check_suite_id: suites.check_suites[0]!.id };
    expect((await forge.app.rest.checks.getSuite(suite)).data.conclusion).toBe(null);
    forge.hooks();
    const run = await create({
      head_sha: suites.check_suites[0]!.head_sha,
      name: 'a',
      conclusion: 'failure',
    });
    expect(names(forge.hooks())).toEqual([
      'check_run.created',
      'check_run.completed',
      'check_suite.completed',
    ]);
    expect((await forge.app.rest.checks.getSuite(suite)).data).toMatchObject({
      status: 'completed',
      conclusion: 'failure',
    });
    expect((await forge.app.rest.checks.listForSuite(suite)).data.check_runs.map((each) => each.id)).toEqual([
      run.data.id,
    ]);
    await forge.bob.rest.checks.rerequestSuite(suite);
    await forge.bob.rest.checks.rerequestRun({ ...REPO, check_run_id: run.data.id });
    expect(names(forge.hooks())).toEqual(['check_suite.rerequested', 'check_run.rerequested']);
    const again = await forge.app.rest.checks.createSuite({
      ...REPO,
      head_sha: suites.check_suites[0]!.head_sha,
    });
    expect([again.status, again.data.id]).toEqual([200, suite.check_suite_id]);
    await forge.alice.rest.checks.setSuitesPreferences({ ...REPO, auto_trigger_checks: [] });
  });
});

describe('check runs', () => {
  test('are created, carried on and completed by the App alone', async () => {
    const number = (await forge.bob.rest.pulls.create({ ...REPO, title: 'x', head: 'draft', base: 'main' }))
      .data.number;
    forge.hooks();
    const { data } = await create({ status: 'in_progress', external_id: 'e1' });
    expect(data).toMatchObject({
      status: 'in_progress',
      conclusion: null,
      external_id: 'e1',
      app: { slug: 'local-app' },
    });
    expect(data.pull_requests.map((pull) => pull.number)).toEqual([number]);
    const one = { ...REPO, check_run_id: data.id };
    const output = { title: 'Rendered', summary: 'Fine', annotations: [annotation(1)] };
    await forge.app.rest.checks.update({ ...one, output });
    const done = await forge.app.rest.checks.update({
      ...one,
      conclusion: 'success',
      output: { summary: 'Fine', annotations: [annotation(2)] },
      actions: [{ label: 'Apply', description: 'Push the render', identifier: 'apply' }],
    } as never);
    expect(done.data).toMatchObject({
      status: 'completed',
      conclusion: 'success',
      output: { title: 'Rendered', summary: 'Fine', annotations_count: 2 },
    });
    expect(names(forge.hooks())).toEqual([
      'check_run.created',
      'check_run.completed',
      'check_suite.completed',
    ]);
    const annotations = (await forge.eve.rest.checks.listAnnotations(one)).data;
    expect(annotations.map((each) => each.message)).toEqual(['Line 1', 'Line 2']);
    expect((await forge.eve.rest.checks.get(one)).data.id).toBe(data.id);
    expect((await refused(forge.alice.rest.checks.update({ ...one, conclusion: 'success' }))).status).toBe(
      403,
    );
    const byPerson = forge.alice.rest.checks.create({ ...REPO, name: 'x', head_sha: head });
    expect((await refused(byPerson)).status).toBe(403);

    forge.pressButton(data.id, 'apply', 'bob');
    expect(forge.hooks()).toMatchObject([
      {
        event: 'check_run',
        action: 'requested_action',
        payload: { requested_action: { identifier: 'apply' }, sender: { login: 'bob' } },
      },
    ]);
    expect(() => forge.pressButton(data.id, 'other', 'bob')).toThrow();
  });

  test('the list shows the newest of each name', async () => {
    const newer = await create({ conclusion: 'failure', output: { title: 'No', summary: 'Not fine' } });
    await create({ name: 'portico/package', status: 'queued' });
    const latest = await listed({});
    expect(latest.total_count).toBe(2);
    expect((await listed({ check_name: 'portico/render' })).check_runs.map((run) => run.id)).toEqual([
      newer.data.id,
    ]);
    expect((await listed({ check_name: 'portico/render', filter: 'all' })).total_count).toBe(2);
    expect((await listed({ status: 'queued' })).check_runs.map((run) => run.name)).toEqual([
      'portico/package',
    ]);
  });

  test('GitHub’s limits hold', async () => {
    const wrong: object[] = [
      output({ annotations: Array.from({ length: 51 }, (_, index) => annotation(index)) }),
      output({ summary: 'x'.repeat(65_536) }),
      output({ text: 'x'.repeat(65_536) }),
      output({ annotations: [{ ...annotation(1), end_line: 2, start_column: 1 }] }),
      { output: { summary: 's' } },
      { status: 'completed' },
      { conclusion: 'great' },
      { head_sha: '0'.repeat(40) },
      {
        actions: Array.from({ length: 4 }, (_, index) => ({
          label: 'a',
          description: 'b',
          identifier: `c${index}`,
        })),
      },
      { actions: [{ label: 'x'.repeat(21), description: 'b', identifier: 'c' }] },
      { actions: [{ label: 'a', description: 'x'.repeat(41), identifier: 'c' }] },
    ];
    for (const more of wrong)
      expect((await refused(create(more))).status, JSON.stringify(more).slice(0, 80)).toBe(422);
    const fine = output({
      summary: 'x'.repeat(65_535),
      annotations: Array.from({ length: 50 }, (_, index) => annotation(index)),
    });
    expect((await create(fine)).data.output.annotations_count).toBe(50);
  });
});

describe('commit statuses', () => {
  test('are combined by context', async () => {
    const combined = async () =>
      (await forge.eve.rest.repos.getCombinedStatusForRef({ ...REPO, ref: 'draft' })).data;
    expect((await combined()).state).toBe('pending');
    forge.hooks();
    await report('failure', 'flux');
    expect(names(forge.hooks())).toEqual(['status']);
    expect((await combined()).state).toBe('failure');
    await report('success', 'flux');
    await report('pending', 'argo');
    expect(await combined()).toMatchObject({ state: 'pending', total_count: 2, sha: head });
    await report('success', 'argo');
    expect((await combined()).state).toBe('success');
    const all = (await forge.eve.rest.repos.listCommitStatusesForRef({ ...REPO, ref: 'draft' })).data;
    expect(all.map((status) => [status.context, status.state])).toEqual([
      ['argo', 'success'],
      ['argo', 'pending'],
      ['flux', 'success'],
      ['flux', 'failure'],
    ]);
    // The App may read statuses and not write them.
    const byApp = forge.app.rest.repos.createCommitStatus({ ...REPO, sha: head, state: 'success' });
    expect((await refused(byApp)).status).toBe(403);
  });
});

describe('deployments', () => {
  test('are made for a commit and report their states', async () => {
    await forge.commit('main', { 'd.yaml': 'a: 1\n' });
    forge.hooks();
    const merged = await forge.bob.rest.repos.createDeployment({ ...REPO, ref: 'pushed' });
    expect(merged.status).toBe(202);
    const unready = forge.bob.rest.repos.createDeployment({ ...REPO, ref: 'draft', auto_merge: false });
    expect((await refused(unready)).status).toBe(409);
    const { data, status } = await forge.bob.rest.repos.createDeployment({
      ...REPO,
      ref: 'draft',
      environment: 'staging',
      auto_merge: false,
      required_contexts: [],
    });
    if (status !== 201) throw new Error('no deployment');
    expect(data).toMatchObject({ sha: head, ref: 'draft', environment: 'staging', task: 'deploy' });
    const one = { ...REPO, deployment_id: data.id };
    const reported = await forge.bob.rest.repos.createDeploymentStatus({
      ...one,
      state: 'success',
      log_url: 'http://x/',
    });
    expect(names(forge.hooks()).filter((name) => name.startsWith('deployment'))).toEqual([
      'deployment.created',
      'deployment_status.created',
    ]);
    const statuses = (await forge.eve.rest.repos.listDeploymentStatuses(one)).data;
    expect(statuses.map((each) => each.state)).toEqual(['success']);
    const id = { ...one, status_id: reported.data.id };
    expect((await forge.eve.rest.repos.getDeploymentStatus(id)).data.environment).toBe('staging');
    expect((await forge.eve.rest.repos.getDeployment(one)).data.id).toBe(data.id);
    expect(
      (await forge.eve.rest.repos.listDeployments({ ...REPO, environment: 'staging' })).data.length,
    ).toBe(1);
    expect((await forge.bob.rest.repos.deleteDeployment(one)).status).toBe(204);
    const absent = forge.bob.rest.repos.createDeployment({ ...REPO, ref: 'nowhere' });
    expect((await refused(absent)).status).toBe(422);
  });
});

test('texts are counted in bytes, as GitHub counts them', async () => {
  const rockets = '🚀'.repeat(16_384);
  await create(output({ summary: rockets.slice(2), text: rockets.slice(2) }));
  for (const field of ['summary', 'text'] as const) {
    const refusal = await create(output({ [field]: rockets })).catch((error: unknown) => error);
    const message = `${field} exceeds a maximum bytesize of 65535`;
    const errors = [{ resource: 'CheckRun', code: 'custom', field, message }];
    expect(refusal).toMatchObject({
      status: 422,
      response: { data: { message: 'Validation Failed', errors } },
    });
  }
  await expect(create(output({ summary: 'x'.repeat(65_536) }))).rejects.toThrow(/65536 were supplied/);
});

test('bodies are counted in bytes in comments and in characters in pull requests', async () => {
  const { issues, pulls } = forge.bob.rest;
  const { number: issue_number } = (await issues.create({ ...REPO, title: 't' })).data;
  const comment = (body: string) => issues.createComment({ ...REPO, issue_number, body });
  await comment('x'.repeat(262_144));
  await expect(comment('é'.repeat(131_073))).rejects.toThrow(/Body is too long/);
  const pull = { ...REPO, title: 't', head: 'long', base: 'main' };
  await forge.commit('long', { 'long.yaml': 'a: 1\n' }, { from: 'main' });
  await expect(pulls.create({ ...pull, body: 'x'.repeat(65_537) })).rejects.toThrow(/body is too long/);
  await pulls.create({ ...pull, body: '🚀'.repeat(65_536) });
});
