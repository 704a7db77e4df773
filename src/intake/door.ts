import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Logger } from 'pino';

import type { Inbox } from './inbox.ts';

export interface DoorLimits {
  /** 25 MiB when absent: GitHub's own cap. */
  readonly maxBytes?: number;
  /** The whole body must have arrived after so long; 10,000 when absent (GitHub waits 10 s for the answer). */
  readonly bodyMilliseconds?: number;
}

export interface DoorOptions {
  /** The current secret and, during a rotation, the previous one. */
  readonly secrets: readonly string[];
  readonly inbox: Inbox;
  /** Called after the delivery is durable and before the answer; it should only queue a job. */
  onStored(delivery: { readonly id: string; readonly event: string }): Promise<void>;
  readonly limits?: DoorLimits;
  readonly log: Logger;
  readonly metrics?: { delivery(event: string, outcome: string): void };
}

/** `/api/github/webhooks` */
export const WEBHOOK_PATH = '/api/github/webhooks';

export function createDoor(
  _options: DoorOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (_request, response) => {
    response.writeHead(503).end();
  };
}
