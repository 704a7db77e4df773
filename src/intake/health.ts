import type { IncomingMessage, ServerResponse } from 'node:http';

export interface HealthOptions {
  /** Rejects, or takes too long, when the database cannot be asked. */
  ping(signal: AbortSignal): Promise<unknown>;
  /** True from the moment that the process was told to stop. */
  stopping(): boolean;
  readonly registry: { readonly contentType: string; metrics(): Promise<string> };
}

/** Answers `/healthz`, `/readyz` and `/metrics`; false when the path is another. */
export function createHealth(
  _options: HealthOptions,
): AsyncDisposable & { handle(request: IncomingMessage, response: ServerResponse): boolean } {
  throw new Error('not yet');
}
