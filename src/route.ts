/** Pure: which jobs an event asks for. An event only says where to look; what is done is decided by what is found. */
import { z } from 'zod';

import {
  branchJob,
  commentJob,
  proposalJob,
  publicationJob,
  repositoryJob,
  repositorySweepJob,
  sweepJob,
} from './reconcile/jobs.ts';
import type { Job, RepositoryRef } from './reconcile/ports.ts';

const Payload = z.object({
  action: z.string().optional(),
  installation: z.object({ id: z.number() }).optional(),
  repository: z
    .object({
      id: z.number(),
      name: z.string(),
      owner: z.object({ login: z.string() }),
      default_branch: z.string().optional(),
    })
    .optional(),
  ref: z.string().optional(),
  ref_type: z.string().optional(),
  sender: z.object({ type: z.string().optional() }).optional(),
  pull_request: z.object({ number: z.number() }).optional(),
  issue: z.object({ number: z.number() }).optional(),
  comment: z.object({ id: z.number(), body: z.string().nullish() }).optional(),
  review: z.object({ id: z.number(), body: z.string().nullish() }).optional(),
  check_run: z
    .object({ head_sha: z.string(), pull_requests: z.array(z.object({ number: z.number() })).default([]) })
    .optional(),
});

const PULL_ACTIONS = new Set([
  'opened',
  'reopened',
  'synchronize',
  'edited',
  'ready_for_review',
  'converted_to_draft',
  'closed',
]);

const MENTION = /^\s*\/portico\b/m;

/** Unknown events, unknown actions and payloads of another shape ask for nothing. */
export function routeEvent(name: string, payload: unknown): Job[] {
  const parsed = Payload.safeParse(payload);
  if (!parsed.success) return [];
  const event = parsed.data;
  if (name === 'installation' || name === 'installation_repositories') return [sweepJob()];
  if (event.repository === undefined || event.installation === undefined) return [];
  const repository: RepositoryRef = {
    installationId: event.installation.id,
    id: event.repository.id,
    owner: event.repository.owner.login,
    name: event.repository.name,
  };
  const number = event.pull_request?.number;
  switch (name) {
    case 'push':
      return pushed(repository, event.ref ?? '');
    case 'create':
    case 'delete':
      // A branch that comes or goes is a push too.
      return event.ref_type === 'tag' ? [repositoryJob(repository)] : [];
    case 'pull_request':
      if (number === undefined || !PULL_ACTIONS.has(event.action ?? '')) return [];
      return [
        proposalJob(repository, number),
        ...(event.action === 'closed' ? [publicationJob(repository)] : []),
      ];
    case 'pull_request_review':
      if (number === undefined) return [];
      return [proposalJob(repository, number), ...reviewed(repository, number, event)];
    case 'issue_comment': {
      const { issue, comment } = event;
      if (event.action !== 'created' || issue === undefined || comment === undefined) return [];
      return MENTION.test(comment.body ?? '')
        ? [commentJob(repository, issue.number, { kind: 'comment', id: comment.id })]
        : [];
    }
    case 'check_run':
      if (event.action !== 'rerequested') return [];
      return (event.check_run?.pull_requests ?? []).map((pull) => proposalJob(repository, pull.number));
    case 'repository':
      return [repositorySweepJob(repository)];
    default:
      return [];
  }
}

/** Any branch may be the registered one: which it is, the configuration says. */
function pushed(repository: RepositoryRef, ref: string): Job[] {
  if (ref.startsWith('refs/tags/')) return [repositoryJob(repository)];
  if (ref.startsWith('refs/heads/drafts/') || ref.startsWith('refs/heads/portico/')) return [];
  return [branchJob(repository, ref)];
}

function reviewed(
  repository: RepositoryRef,
  number: number,
  event: {
    readonly action?: string | undefined;
    readonly review?: { readonly id: number; readonly body?: string | null | undefined } | undefined;
  },
): Job[] {
  const { review } = event;
  if (event.action !== 'submitted' || review === undefined || !MENTION.test(review.body ?? '')) return [];
  return [commentJob(repository, number, { kind: 'review', id: review.id })];
}
