import type { Probot } from 'probot';

import type { EventReceived } from '../webhook/event-jobs.ts';

/**
 * The Probot application. It does no work: every event is handed on, to be routed and queued. `main.ts` loads it
 * behind our own door; any other Probot host can load `probot-host.ts`.
 */
export function createApp(accept: (event: EventReceived) => Promise<void>): (app: Probot) => void {
  return (app) => {
    app.onAny(async ({ id, name, payload }) => {
      await accept({ id, name, payload });
    });
  };
}
