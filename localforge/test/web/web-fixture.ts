import { collaboration, lines, REPO } from '../collaboration-fixture.ts';
import type { Collaboration } from '../collaboration-fixture.ts';

/** A forge with a proposal as the bot leaves it: two checks, one of them with annotations, a comment, a thread on a line. */
export interface Story extends Collaboration {
  readonly head: string;
  /** The number of the pull request. */
  readonly number: number;
  /** The check run that fails, and has a button. */
  readonly failing: number;
  /** Asks for a page as a browser does. */
  page(path: string, who?: string): Promise<Page>;
  /** Posts a form from a page of the forge. */
  post(path: string, fields: Record<string, string>, who?: string): Promise<Page>;
}

export interface Page {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

const SUMMARY = [
  '<!-- portico:summary -->',
  '### Proposal: 2 checks fail',
  '',
  '| package | published | will be published as |',
  '| --- | --- | --- |',
  '| `app` | none | `v1` |',
  '',
  '**Next:** fix what fails and push to this branch.',
  '',
  '<details><summary>What changes in <code>app</code></summary>',
  '',
  '- `Deployment/app` *added*',
  '',
  '</details>',
  '',
  '<sub>Content `0123abc` · <code>/portico help</code></sub>',
].join('\n');

export async function story(): Promise<Story> {
  const base = await collaboration();
  const { forge, bob, app } = base;
  const head = await base.commit(
    'drafts/app/first',
    {
      'README.md': lines(20, { 10: 'line ten', 11: 'line <b>eleven</b> & more' }),
      'app/deployment.yaml':
        'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: app\nspec:\n  replicas: 7\n',
    },
    { from: 'main', message: 'Add the app' },
  );
  const pull = await bob.rest.pulls.create({
    ...REPO,
    title: 'Add the app',
    head: 'drafts/app/first',
    base: 'main',
    body: 'A **first** cut of `app`.',
  });
  const { number } = pull.data;
  const failing = await app.rest.checks.create({
    ...REPO,
    name: 'guardrail/replicas',
    head_sha: head,
    status: 'completed',
    conclusion: 'failure',
    actions: [{ label: 'Mend', description: 'Set replicas to 5', identifier: 'mend' }],
    output: {
      title: 'One resource has too many replicas',
      summary: 'Lower `spec.replicas`.',
      annotations: [
        {
          path: 'app/deployment.yaml',
          start_line: 6,
          end_line: 6,
          annotation_level: 'failure',
          title: 'Too many replicas',
          message: 'At most 5 replicas are allowed, this asks for 7.',
        },
        {
          path: 'app/Kptfile',
          start_line: 1,
          end_line: 1,
          annotation_level: 'notice',
          message: 'The Kptfile has no pipeline.',
        },
      ],
    },
  });
  await app.rest.checks.create({
    ...REPO,
    name: 'portico/render',
    head_sha: head,
    status: 'completed',
    conclusion: 'success',
    output: { title: 'Rendered, nothing to change', summary: 'All functions ran.' },
  });
  const comment = await app.rest.issues.createComment({ ...REPO, issue_number: number, body: SUMMARY });
  await bob.rest.reactions.createForIssueComment({ ...REPO, comment_id: comment.data.id, content: 'rocket' });
  await base.carol.rest.pulls.createReviewComment({
    ...REPO,
    pull_number: number,
    commit_id: head,
    path: 'README.md',
    line: 11,
    side: 'RIGHT',
    body: 'Is **eleven** right? <script>alert(1)</script>',
  });
  await forge.settled();

  const ask = async (
    path: string,
    who: string,
    init: { method?: string; body?: URLSearchParams; headers?: Record<string, string> },
  ): Promise<Page> => {
    const headers = { ...init.headers, accept: 'text/html', cookie: `forge_viewer=${who}` };
    const reply = await fetch(forge.url + path, { redirect: 'manual', ...init, headers });
    return { status: reply.status, text: await reply.text(), headers: reply.headers };
  };
  return {
    ...base,
    head,
    number,
    failing: failing.data.id,
    page: (path, who = 'bob') => ask(path, who, {}),
    post: (path, fields, who = 'bob') =>
      ask(path, who, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { origin: forge.url, 'sec-fetch-site': 'same-origin' },
      }),
  };
}
