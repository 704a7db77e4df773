/** Tells a webhook of the operator's what happened: signed as GitHub signs its own, or as a message for Slack. */
import { createHmac } from 'node:crypto';

import { PorticoError } from '../error.ts';
import type { OutsideFetch } from '../network/outside-fetch.ts';
import type { Notice } from '../reconcile/job.ts';

export interface NotifierSettings {
  readonly url: string;
  /** For `X-Portico-Signature-256`; undefined where nothing is signed. */
  readonly secret: string | undefined;
  /** `slack`: an incoming webhook that takes `{"text": …}`, as Slack, Mattermost and others have it. */
  readonly format: 'json' | 'slack';
}

export type Notify = (notice: Notice, signal?: AbortSignal) => Promise<void>;

/** The other end may say that it wants a pause; longer ones, in seconds, are not obeyed. */
const MAX_PAUSE = 3_600;

/**
 * One request for each notice; what it answers beside its status is not read. Throws NOTICE_REFUSED where the address does not take it,
 * and NOTICE_FAILED, to be tried again, where it may later.
 */
export function createNotifier({ url, secret, format }: NotifierSettings, fetch: OutsideFetch): Notify {
  const place = new URL(url);
  return async (notice, signal) => {
    const body = new TextEncoder().encode(
      JSON.stringify(format === 'slack' ? { text: slackText(notice.message) } : notice),
    );
    const response = await fetch(place, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': String(body.length),
        'x-portico-delivery': notice.id,
        ...(secret !== undefined && {
          'x-portico-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
        }),
      },
      body,
      signal,
    });
    await response.body?.cancel();
    const { status } = response;
    if (status >= 200 && status < 300) return;
    const isTemporary = status >= 500 || status === 408 || status === 425 || status === 429;
    if (!isTemporary) {
      throw new PorticoError('NOTICE_REFUSED', `${place.origin} answered a notification with ${status}`, {
        blame: 'user',
        hint: 'Check NOTIFY_URL and NOTIFY_SECRET.',
      });
    }
    const pause = Number(response.headers.get('retry-after') ?? '');
    throw new PorticoError('NOTICE_FAILED', `${place.origin} answered a notification with ${status}`, {
      blame: 'forge',
      hint: 'It is sent again.',
      ...(Number.isInteger(pause) && pause > 0 && { retryAfter: Math.min(MAX_PAUSE, pause) }),
    });
  };
}

/** What Slack reads as markup (https://docs.slack.dev/messaging/formatting-message-text/#escaping). */
function slackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
