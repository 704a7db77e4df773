import { expect, test } from 'vitest';

import { judgeHealth, reportsOf } from '../../../src/reconcile/rollout/health.ts';

const AT = Date.parse('2026-01-01T00:00:00.000Z');

test('a commit is healthy when all that is asked for is there and holds', () => {
  const at = '2026-01-01T00:00:00Z';
  const status = (context: string, state: string) => ({ context, state, at });
  const gate = { statuses: ['deploy/*'], deployments: ['production'] };
  const good = { environment: 'production', state: 'success', at };
  const of = (statuses: ReturnType<typeof status>[], deployments = [good]) =>
    judgeHealth([{ statuses, deployments }], gate);
  expect(of([])).toMatchObject({ state: 'pending', what: 'status deploy/*' });
  expect(of([status('other', 'failure')])).toMatchObject({ state: 'pending' });
  expect(of([status('deploy/a', 'success')])).toEqual({ state: 'success', at: AT, what: '' });
  expect(of([status('deploy/a', 'success'), status('deploy/b', 'error')])).toMatchObject({
    state: 'failure',
    what: 'status deploy/b',
  });
  expect(of([status('deploy/a', 'success')], [])).toMatchObject({ what: 'deployment to production' });
  expect(of([status('deploy/a', 'success')], [{ ...good, state: 'in_progress' }])).toMatchObject({
    state: 'pending',
  });
  expect(of([status('deploy/a', 'success')], [{ ...good, state: 'inactive' }]).state).toBe('success');
});

const FLUX = 'kustomization/apps/0c9c2e41';
const said = (hour: number, ...reports: string[]) => ({
  statuses: reports.map((one) => {
    const [context = '', state = ''] = one.split('=');
    return { context, state, at: `2026-01-01T0${hour}:00:00Z` };
  }),
  deployments: [],
});
const NOTHING = said(0);

/** Of each commit that holds the package, the newest first; the published one is the last. */
test.each([
  ['nobody has said anything', ['flux'], [NOTHING, NOTHING], 'pending: status flux'],
  ['Flux, on the published commit', ['flux'], [said(1, `${FLUX}=success`)], 'success at 1'],
  ['Flux, only on a later commit', ['flux'], [NOTHING, said(2, `${FLUX}=success`), NOTHING], 'success at 2'],
  [
    'a failure on a later commit alone',
    ['flux'],
    [said(2, `${FLUX}=failure`), NOTHING],
    `failure: status ${FLUX}`,
  ],
  [
    'something else broke later',
    ['flux'],
    [said(3, `${FLUX}=failure`), said(1, `${FLUX}=success`)],
    'success at 1',
  ],
  [
    'it was mended by a later commit',
    ['flux'],
    [said(3, `${FLUX}=success`), said(1, `${FLUX}=failure`)],
    'success at 3',
  ],
  [
    'each of several has to hold, wherever it was said',
    ['flux'],
    [said(3, 'helmrelease/web/0c9c2e41=success'), said(1, `${FLUX}=failure`)],
    `failure: status ${FLUX}`,
  ],
  [
    'a newer one is under way',
    ['flux'],
    [said(3, `${FLUX}=pending`), said(1, `${FLUX}=failure`)],
    `pending: status ${FLUX}`,
  ],
  ['Argo CD', ['argocd'], [said(2, 'continuous-delivery/web=success'), NOTHING], 'success at 2'],
  [
    'globs',
    ['kustomization/apps/*'],
    [said(2, `${FLUX}=success`, 'kustomization/infra/1=failure')],
    'success at 2',
  ],
  ['both are asked for', ['flux', 'argocd'], [said(2, `${FLUX}=success`)], 'pending: status argocd'],
])('what counts is said of any commit that holds the package: %s', (_, statuses, commits, expected) => {
  const health = judgeHealth(commits, { statuses, deployments: [] });
  const told = health.state === 'success' ? ` at ${new Date(health.at).getUTCHours()}` : `: ${health.what}`;
  expect(`${health.state}${told}`).toBe(expected);
});

const deployed = (state: string) => ({
  statuses: [],
  deployments: [{ environment: 'production', state, at: '2026-01-01T00:00:00Z' }],
});

test('a deployment of a later commit counts too', () => {
  const gate = { statuses: [], deployments: ['production'] };
  expect(judgeHealth([deployed('success'), NOTHING], gate).state).toBe('success');
  expect(judgeHealth([deployed('in_progress'), deployed('failure')], gate).state).toBe('pending');
  expect(judgeHealth([deployed('error'), deployed('inactive')], gate).state).toBe('success');
});

test('a status does not speak for a check run of its name, nor one App for another, nor one workflow for another', () => {
  const at = '2026-01-01T00:00:00Z';
  const gate = { statuses: ['smoke'], deployments: [] };
  const of = (...statuses: readonly (readonly [app: number | undefined, state: string])[]) =>
    judgeHealth(
      [{ statuses: statuses.map(([app, state]) => ({ context: 'smoke', app, state, at })), deployments: [] }],
      gate,
    ).state;
  expect(of([undefined, 'success'], [7, 'failure'])).toBe('failure');
  expect(of([7, 'success'], [undefined, 'error'])).toBe('failure');
  expect(of([undefined, 'success'], [7, 'pending'])).toBe('pending');
  expect(of([7, 'success'], [8, 'failure'])).toBe('failure');
  expect(of([7, 'failure'], [7, 'success'])).toBe('failure');
  expect(of([undefined, 'success'], [7, 'success'])).toBe('success');
  const newer = { statuses: [{ context: 'smoke', app: 7, state: 'failure', at }], deployments: [] };
  const older = { statuses: [{ context: 'smoke', state: 'success', at }], deployments: [] };
  expect(judgeHealth([newer, older], gate).state).toBe('failure');
});

const deployedTo = (environment: string, state: string) => ({
  environment,
  state,
  at: '2026-01-01T00:00:00Z',
});

const failing = (...given: Parameters<typeof reportsOf>): readonly string[] => reportsOf(...given).failing;

test('what fails where it runs is what tools and deployments say, unless it held once with the same', () => {
  const argo = 'continuous-delivery/web';
  expect(failing([said(1, `${FLUX}=failure`, 'ci/tests=failure', `${argo}=error`)])).toEqual([
    `status ${FLUX}`,
    `status ${argo}`,
  ]);
  expect(failing([said(2, `${FLUX}=failure`), said(1, `${FLUX}=success`)])).toEqual([]);
  expect(failing([said(2, `${FLUX}=pending`), said(1, `${FLUX}=failure`)])).toEqual([]);
  const all = [deployedTo('eu', 'failure'), deployedTo('us', 'success'), deployedTo('ap', 'in_progress')];
  expect(reportsOf([{ statuses: [], deployments: all }])).toEqual({
    failing: ['deployment to eu'],
    holding: ['deployment to us'],
    open: ['deployment to ap'],
  });
  expect(failing([NOTHING])).toEqual([]);
});

test('other statuses tell it where the configuration says so, in the words of a gate', () => {
  const reports = [said(1, `${FLUX}=failure`, 'ci/tests=failure', 'deploy/eu=error')];
  expect(reportsOf(reports, ['deploy/*']).failing).toEqual(['status deploy/eu']);
  expect(reportsOf(reports, ['flux', 'deploy/*']).failing).toEqual([`status ${FLUX}`, 'status deploy/eu']);
  expect(reportsOf(reports, ['argocd']).failing).toEqual([]);
});
