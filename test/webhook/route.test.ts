import { describe, expect, test } from 'vitest';

import { routeEvent } from '../../src/webhook/route.ts';

const from = { installation: { id: 7 }, repository: { id: 3, name: 'web', owner: { login: 'acme' } } };
const FORM =
  '### Package to roll back\n\nweb\n\n### Revision to bring back\n\nv3\n\n### Workspace\n\n_No response_';
const OWN_APP = 77;
const run = (head_branch: string, id: number) => ({
  action: 'completed',
  check_run: { name: 'x', head_sha: 'a', check_suite: { head_branch }, pull_requests: [], app: { id } },
});
const jobs = (name: string, payload: object): string[] =>
  routeEvent(name, { ...from, ...payload }, OWN_APP).jobs.map(({ kind, key }) => `${kind} ${key}`);

describe('which jobs an event asks for', () => {
  test.each<[string, string, object, string[]]>([
    ['a push to a branch', 'push', { ref: 'refs/heads/main' }, ['branch branch:3:refs/heads/main']],
    ['a push to a draft', 'push', { ref: 'refs/heads/drafts/web/one' }, []],
    [
      'a finished check of an update',
      'check_run',
      {
        action: 'completed',
        check_run: {
          name: 'portico',
          head_sha: 'a',
          check_suite: { head_branch: 'portico/update/web/0123456789' },
          pull_requests: [],
        },
      },
      ['variant variant:3:on:portico/update/web/0123456789'],
    ],
    ['a finished check of ours on a branch', 'check_run', run('main', OWN_APP), []],
    ['one of Argo CD', 'check_run', run('main', 5), ['rollout rollout:3']],
    [
      'a finished suite of an update, told behind its last run',
      'check_suite',
      { action: 'completed', check_suite: { head_sha: 'a', head_branch: 'portico/update/web/0123456789' } },
      ['variant variant:3:on:portico/update/web/0123456789'],
    ],
    [
      'a status of an update',
      'status',
      {
        sha: 'a',
        context: 'ci/old',
        branches: [{ name: 'main' }, { name: 'portico/update/web/0123456789' }],
      },
      ['rollout rollout:3', 'variant variant:3:on:portico/update/web/0123456789'],
    ],
    [
      'a status that fails, of what was published perhaps',
      'status',
      { sha: 'a', state: 'error', context: 'kustomization/apps/1', branches: [{ name: 'main' }] },
      ['rollout rollout:3', 'restoration restoration:3:a'],
    ],
    [
      'a deployment that fails',
      'deployment_status',
      { deployment: { sha: 'a' }, deployment_status: { state: 'failure' } },
      ['rollout rollout:3', 'restoration restoration:3:a'],
    ],
    [
      'a deployment that goes on',
      'deployment_status',
      { deployment: { sha: 'a' }, deployment_status: { state: 'in_progress' } },
      ['rollout rollout:3'],
    ],
    [
      'a tick in the dashboard',
      'issues',
      {
        action: 'edited',
        sender: { login: 'alice', type: 'User' },
        issue: { number: 4, user: { login: 'portico[bot]', type: 'Bot' }, body: '- [x] update now `web`' },
      },
      ['dashboard dashboard:3:edited'],
    ],
    [
      'an edit of ours',
      'issues',
      {
        action: 'edited',
        sender: { login: 'portico[bot]', type: 'Bot' },
        issue: { number: 4, user: { login: 'portico[bot]', type: 'Bot' }, body: '- [x] update now `web`' },
      },
      [],
    ],
    ['a push of ours', 'push', { ref: 'refs/heads/portico/update/web/0123456789' }, []],
    ['a tag', 'push', { ref: 'refs/tags/web/v1' }, ['repository repository:3']],
    ['a tag that goes', 'delete', { ref: 'web/v1', ref_type: 'tag' }, ['repository repository:3']],
    [
      'a pull request',
      'pull_request',
      { action: 'opened', pull_request: { number: 5 } },
      ['proposal proposal:3#5'],
    ],
    [
      'a closed one',
      'pull_request',
      { action: 'closed', pull_request: { number: 5 } },
      ['proposal proposal:3#5', 'publication publication:3'],
    ],
    ['a labelled one', 'pull_request', { action: 'labeled', pull_request: { number: 5 } }, []],
    [
      'a review with a command',
      'pull_request_review',
      {
        action: 'submitted',
        pull_request: { number: 5 },
        review: { id: 8, body: 'Good.\n/portico approve' },
      },
      ['proposal proposal:3#5', 'comment comment:3#5/review/8'],
    ],
    [
      'a command in a comment on lines',
      'pull_request_review_comment',
      {
        action: 'created',
        sender: { login: 'alice' },
        pull_request: { number: 5 },
        comment: {
          id: 9,
          body: '/portico approve',
          created_at: '2026-11-20T10:00:00Z',
          user: { login: 'alice' },
        },
      },
      ['comment comment:3#5/line/9'],
    ],
    [
      'an edited review',
      'pull_request_review',
      { action: 'edited', pull_request: { number: 5 }, review: { id: 8, body: '/portico approve' } },
      ['proposal proposal:3#5'],
    ],
    [
      'a command',
      'issue_comment',
      { action: 'created', issue: { number: 5 }, comment: { id: 9, body: '/portico help' } },
      ['comment comment:3#5/comment/9'],
    ],
    [
      'an edited comment (14)',
      'issue_comment',
      { action: 'edited', issue: { number: 5 }, comment: { id: 9, body: '/portico help' } },
      [],
    ],
    [
      'a form',
      'issues',
      {
        action: 'opened',
        sender: { login: 'alice' },
        issue: { number: 5, created_at: '2026-11-20T10:00:00Z', user: { login: 'alice' }, body: FORM },
      },
      ['comment comment:3#5/form/-5'],
    ],
    [
      'a form that somebody moved here',
      'issues',
      {
        action: 'opened',
        sender: { login: 'bob' },
        issue: { number: 5, created_at: '2026-11-20T10:00:00Z', user: { login: 'alice' }, body: FORM },
      },
      [],
    ],
    [
      'an issue that opens with a command, which is answered',
      'issues',
      {
        action: 'opened',
        sender: { login: 'alice' },
        issue: {
          number: 5,
          created_at: '2026-11-20T10:00:00Z',
          user: { login: 'alice' },
          body: '/portico help',
        },
      },
      ['comment comment:3#5/opening/-5'],
    ],
    [
      'a pull request that opens with a command, misspelt',
      'pull_request',
      {
        action: 'opened',
        sender: { login: 'alice' },
        pull_request: {
          number: 5,
          created_at: '2026-11-20T10:00:00Z',
          user: { login: 'alice', type: 'User' },
          body: 'Bigger.\r\n\r\n/portco publish',
        },
      },
      ['proposal proposal:3#5', 'comment comment:3#5/opening/-5'],
    ],
    [
      'a pull request of ours, which speaks of commands',
      'pull_request',
      {
        action: 'opened',
        sender: { login: 'portico[bot]' },
        pull_request: {
          number: 5,
          created_at: '2026-11-20T10:00:00Z',
          user: { login: 'portico[bot]', type: 'Bot' },
          body: '/portico resolve 1 upstream',
        },
      },
      ['proposal proposal:3#5'],
    ],
    [
      'a description that gets a command later',
      'issues',
      {
        action: 'edited',
        sender: { login: 'alice', type: 'User' },
        issue: {
          number: 5,
          created_at: '2026-11-20T10:00:00Z',
          user: { login: 'alice', type: 'User' },
          body: '/portico help',
        },
      },
      [],
    ],
    [
      'a command with a misspelt prefix, which is answered',
      'issue_comment',
      { action: 'created', issue: { number: 5 }, comment: { id: 9, body: 'Fine.\n/portco aprove' } },
      ['comment comment:3#5/comment/9'],
    ],
    [
      'talk',
      'issue_comment',
      { action: 'created', issue: { number: 5 }, comment: { id: 9, body: 'about /portico' } },
      [],
    ],
    [
      're-run',
      'check_run',
      {
        action: 'rerequested',
        check_run: { name: 'portico', head_sha: 'a', pull_requests: [{ number: 5 }] },
      },
      ['proposal proposal:3#5:again:portico'],
    ],
    [
      're-run of all checks',
      'check_suite',
      { action: 'rerequested', check_suite: { head_sha: 'a', pull_requests: [{ number: 5 }] } },
      ['proposal proposal:3#5:again:'],
    ],
    [
      're-run where the forge names no proposal, as of forks',
      'check_run',
      { action: 'rerequested', check_run: { name: 'portico', head_sha: 'a', pull_requests: [] } },
      ['commit commit:3:a:again:portico'],
    ],
    [
      'a suite that comes with a push',
      'check_suite',
      { action: 'requested', check_suite: { head_sha: 'a' } },
      [],
    ],
    [
      'the button of a check',
      'check_run',
      {
        action: 'requested_action',
        requested_action: { identifier: 'fix' },
        sender: { type: 'User', login: 'bob' },
        check_run: { name: 'guardrail/team', head_sha: 'a', pull_requests: [{ number: 5 }] },
      },
      ['fix fix:3#5:a:guardrail/team:bob'],
    ],
    [
      'a button that we have not',
      'check_run',
      {
        action: 'requested_action',
        requested_action: { identifier: 'other' },
        sender: { type: 'User', login: 'bob' },
        check_run: { name: 'guardrail/team', head_sha: 'a', pull_requests: [{ number: 5 }] },
      },
      [],
    ],
    ['a renamed repository', 'repository', { action: 'renamed' }, ['sweep-repository sweep:3']],
    ['an unknown event (11)', 'star', { action: 'created' }, []],
  ])('%s', (_what, name, payload, expected) => expect(jobs(name, payload)).toEqual(expected));

  test('an installation is swept', () => {
    const { jobs: asked } = routeEvent('installation', { action: 'created', installation: { id: 7 } });
    expect(asked.map(({ kind }) => kind)).toEqual(['sweep']);
  });

  test('a deployment that no check speaks of, as GitHub tells of it', () => {
    expect(jobs('deployment_status', { check_run: null, workflow_run: null })).toEqual(['rollout rollout:3']);
  });

  test.each<[unknown, string]>([
    [null, 'the payload: invalid_type'],
    ['text', 'the payload: invalid_type'],
    [[], 'the payload: invalid_type'],
    [{ repository: 'x' }, 'installation: invalid_type'],
    [{ ...from, pull_request: { number: 'five' } }, 'pull_request.number: invalid_type'],
  ])('of another shape, and what is wrong: %j', (payload, unreadable) => {
    expect(routeEvent('pull_request', payload)).toEqual({ jobs: [], unreadable });
  });
});
