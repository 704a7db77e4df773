import type { Environment, WorkflowEnvironment } from '../config/environment.ts';
import type { ContentPools } from '../isolation/content.ts';
import type { Database } from '../queue/database.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/tracing.ts';

export interface BotOptions {
  readonly environment: Environment | WorkflowEnvironment;
  readonly database: Database;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly scrub: (text: string) => string;
  /** Ends a start that waits for the forge. */
  readonly signal?: AbortSignal | undefined;
  /** Processes for foreign content that several bots of one process share; absent, it has its own. */
  readonly contentPools?: ContentPools | undefined;
  /** Numbers of the repositories to look at; absent: all. Lost webhooks are then not asked for again. */
  readonly only?: ReadonlySet<number> | undefined;
  /** For one run alone, which asks for what it wants: nothing is looked at by itself, and no webhook is asked for. */
  readonly once?:
    | {
        /** Told of each repository that this run has changed, by its number: no webhook will come of it. */
        readonly onWrite: (repositoryId: number) => void;
      }
    | undefined;
}
