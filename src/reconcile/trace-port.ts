/** What is known of webhooks and jobs, for a person who asks why nothing happens. */

/** A webhook as it was received. */
export interface DeliveryTrace {
  readonly event: string;
  /** `stored`: its jobs are not queued yet; `claimed`: they are being queued; `completed`: they are; `failed`: they could not be. */
  readonly state: string;
  readonly receivedAt: Date;
  readonly attempt: number;
  /** Why its jobs could not be queued. */
  readonly code?: string;
  /** The jobs that it asks for, while they are not queued. */
  readonly jobs: readonly { readonly kind: string; readonly key: string; readonly data: unknown }[];
}

export interface JobTrace {
  readonly kind: string;
  readonly key: string;
  readonly data: unknown;
  /** `waiting`: its time has not come. `done`: kept for webhooks alone, and for four days. */
  readonly state: 'running' | 'ready' | 'waiting' | 'done' | 'given-up';
  /** When it began, was stored, will start, or ended. */
  readonly at: Date;
  readonly attempt: number;
  /** Why it runs again, or was given up. */
  readonly code?: string;
  /** Why there was nothing to do. */
  readonly reason?: string;
}

export interface Traces {
  /** Null for a webhook that was never received, asked for nothing, or ended more than four days ago. */
  delivery(id: string): Promise<DeliveryTrace | null>;
  jobs(about: { readonly delivery: string } | { readonly repository: number }): Promise<readonly JobTrace[]>;
}
