/** Pure: an event that came as a file and not by our door, such as the one that a workflow of GitHub Actions runs for. */

import { z } from 'zod';

import { PorticoError } from '../error.ts';
import type { RepositoryRef } from '../reconcile/ports.ts';

/** Names that Actions has beside those of webhooks: docs.github.com, "Events that trigger workflows". */
const SAME_AS: Readonly<Record<string, string>> = { pull_request_target: 'pull_request' };
/** They say when to look, and nothing of where. */
const ONLY_WHEN: readonly string[] = [
  'schedule',
  'workflow_dispatch',
  'workflow_run',
  'workflow_call',
  'repository_dispatch',
];

/** True for an event that only says when to look. */
export function saysOnlyWhen(name: string): boolean {
  return ONLY_WHEN.includes(name);
}

export interface GivenEvent {
  /** As webhooks name it. */
  readonly name: string;
  readonly payload: object;
  /** The repository that it is about. */
  readonly repository: { readonly id: number; readonly fullName: string };
}

const payloadSchema = z.looseObject({
  repository: z.looseObject({ id: z.number(), full_name: z.string() }),
});

/** @throws PorticoError EVENT_UNREADABLE */
export function readGivenEvent(name: string, text: string): GivenEvent {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw unreadable(name, 'is not JSON');
  }
  const read = payloadSchema.safeParse(content);
  if (!read.success) throw unreadable(name, 'names no repository, with its id and full_name');
  const { id, full_name: fullName } = read.data.repository;
  return { name: SAME_AS[name] ?? name, payload: read.data, repository: { id, fullName } };
}

/** What a webhook of the App would hold: a workflow's payload has no installation. */
export function asWebhook({ payload }: GivenEvent, { installationId }: RepositoryRef): object {
  return { ...payload, installation: { id: installationId } };
}

function unreadable(name: string, why: string): PorticoError {
  return new PorticoError('EVENT_UNREADABLE', `the payload of ${name} ${why}`, {
    blame: 'user',
    hint: 'Give the body of the webhook as it was sent; in a workflow, the file that GITHUB_EVENT_PATH names.',
  });
}
