import type { ForgeContext } from '../context.ts';
import type { WebhookEvent } from '../webhook-types.ts';
import { happens } from './chances.ts';

/**
 * Fields of payloads that GitHub's descriptions (octokit/webhooks, github/rest-api-description) call nullable, and that
 * carry nothing here: what GitHub writes as null as often as it leaves it out.
 */
const NULLABLE: Readonly<Record<string, readonly string[]>> = {
  check_run: ['requested_action'],
  check_suite: ['check_suite.before', 'check_suite.after'],
  deployment_status: ['check_run', 'workflow', 'workflow_run'],
  deployment: ['workflow', 'workflow_run'],
  issue_comment: ['issue.milestone', 'issue.active_lock_reason'],
  push: ['base_ref'],
};

/** The event, some of those fields null. */
export function withNulls(context: ForgeContext, event: WebhookEvent): WebhookEvent {
  const chosen = (NULLABLE[event.event] ?? []).filter(() => happens(context, 'nulls'));
  if (chosen.length === 0) return event;
  const payload = chosen.reduce<Payload>((made, path) => nulled(made, path.split('.')), event.payload);
  return { ...event, payload };
}

type Payload = Readonly<Record<string, unknown>>;

/** Null at that place; where something is there that is told of, it stays. */
function nulled(payload: Payload, [name = '', ...rest]: readonly string[]): Payload {
  const there = payload[name];
  if (rest.length === 0)
    return typeof there === 'object' && there !== null ? payload : { ...payload, [name]: null };
  if (typeof there !== 'object' || there === null) return payload;
  return { ...payload, [name]: nulled(there as Payload, rest) };
}
