/** GitHub's own examples of webhooks, of github.com and of its servers, through the readers and the router. */
import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

import type { WebhookDefinition } from '@octokit/webhooks-examples';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';

import { routeEvent } from '../../src/webhook/route.ts';
import { readStored, storedText } from '../../src/webhook/routed-event.ts';

interface Definition extends Pick<WebhookDefinition, 'name'> {
  readonly examples: readonly { readonly action?: string }[];
}

/** What is asked for; an event or action that is not here asks for nothing. */
const ROUTES: Readonly<Record<string, readonly string[]>> = {
  // Of these examples, one is about a commit without pull requests and none about a button of ours.
  // Of checks of others, as a rollout may wait for.
  'check_run.completed': ['rollout'],
  // It may be of a revision that fails where it runs.
  'check_run.completed with a failure': ['rollout', 'restoration'],
  'check_run.rerequested': ['commit'],
  'check_suite.rerequested': ['proposal'],
  // Of tags, all of them.
  create: ['repository'],
  delete: ['repository'],
  // Before GitHub Enterprise Server 3.4 without an action.
  deployment_status: ['rollout'],
  'deployment_status.created': ['rollout'],
  'installation.created': ['sweep'],
  'installation.deleted': ['sweep'],
  'installation.new_permissions_accepted': ['sweep'],
  'installation.suspend': ['sweep'],
  'installation.unsuspend': ['sweep'],
  'installation_repositories.added': ['sweep'],
  'installation_repositories.removed': ['sweep'],
  'member.added': ['rights'],
  'member.edited': ['rights'],
  'membership.added': ['organization-rights'],
  'membership.removed': ['organization-rights'],
  'merge_group.checks_requested': ['merge-group'],
  'organization.member_added': ['organization-rights'],
  'organization.member_removed': ['organization-rights'],
  'pull_request.closed': ['proposal', 'publication'],
  'pull_request.converted_to_draft': ['proposal'],
  'pull_request.opened': ['proposal'],
  'pull_request.ready_for_review': ['proposal'],
  'pull_request.reopened': ['proposal'],
  'pull_request.synchronize': ['proposal'],
  'pull_request_review.dismissed': ['proposal'],
  'pull_request_review.submitted': ['proposal'],
  'push of a branch': ['branch'],
  'push of a tag': ['repository'],
  'repository.created': ['sweep-repository'],
  'repository.deleted': ['sweep-repository'],
  'repository.edited': ['sweep-repository'],
  'repository.privatized': ['sweep-repository'],
  'repository.publicized': ['sweep-repository'],
  'repository.renamed': ['sweep-repository'],
  'repository.transferred': ['sweep-repository'],
  status: ['rollout'],
  'team.added_to_repository': ['rights'],
  'team.deleted': ['organization-rights'],
  'team.edited': ['organization-rights'],
  'team.removed_from_repository': ['rights'],
};

/** What the manifest asks for, and what every App is told without asking. */
const subscribed: readonly string[] = [
  ...(parse(readFileSync('app.yml', 'utf8')) as { readonly default_events: string[] }).default_events,
  'installation',
  'installation_repositories',
];

const counts: string[] = [];
afterAll(() => process.stdout.write(`examples of webhooks: ${counts.join('; ')}\n`));

const files = globSync('node_modules/@octokit/webhooks-examples/*/index.json').toSorted();

test.each(files)('%s', (file) => {
  const definitions = JSON.parse(readFileSync(file, 'utf8')) as Definition[];
  const mine = definitions.filter(({ name }) => subscribed.includes(name));
  // Merge queues came later than the examples of the servers.
  const expected = file.includes('api.github.com')
    ? subscribed
    : subscribed.filter((name) => name !== 'merge_group');
  expect(mine.map(({ name }) => name).toSorted()).toEqual(expected.toSorted());
  let read = 0;
  for (const { name, examples } of mine) {
    for (const example of examples) {
      // Most were recorded at hooks of repositories, which are told of no installation.
      const payload = { installation: { id: 7 }, ...example };
      const { jobs, unreadable } = routeEvent(name, payload);
      const kind = kindOf(name, example);
      expect({ kind, unreadable, jobs: jobs.map((job) => job.kind) }).toEqual({
        kind,
        unreadable: undefined,
        jobs: ROUTES[kind] ?? [],
      });
      // What the door stores now, and what it stored before it read payloads.
      for (const body of [storedText(jobs), JSON.stringify(payload)])
        expect(readStored({ id: 'one', event: name, body }, 1).jobs).toEqual(jobs);
      read += 1;
    }
  }
  const all = definitions.reduce((sum, { examples }) => sum + examples.length, 0);
  counts.push(`${dirname(file).split('/').at(-1)} ${read} read of ${read} subscribed, ${all} in all`);
  expect(read).toBeGreaterThan(0);
});

test('every line of the table is met', () => {
  const met = files.flatMap((file) =>
    (JSON.parse(readFileSync(file, 'utf8')) as Definition[]).flatMap(({ name, examples }) =>
      examples.map((example) => kindOf(name, example)),
    ),
  );
  expect(files).toHaveLength(6);
  expect(Object.keys(ROUTES).filter((kind) => !met.includes(kind))).toEqual([]);
});

function kindOf(
  name: string,
  {
    action,
    ref,
    check_run: run,
  }: {
    readonly action?: string;
    readonly ref?: string;
    readonly check_run?: { readonly conclusion?: string | null };
  },
): string {
  if (action === 'completed' && run?.conclusion === 'failure') return `${name}.completed with a failure`;
  if (name === 'push') return ref?.startsWith('refs/tags/') === true ? 'push of a tag' : 'push of a branch';
  return action === undefined ? name : `${name}.${action}`;
}
