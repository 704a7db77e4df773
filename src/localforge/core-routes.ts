import type { ForgeContext } from './context.ts';
import type { DeliveryRecord } from './records.ts';
import type { Router } from './router.ts';

/** Adds the core's routes. `send` puts a stored delivery in the queue. */
export function addCoreRoutes(
  _context: ForgeContext,
  _router: Router,
  _send: (delivery: DeliveryRecord) => void,
): void {}
