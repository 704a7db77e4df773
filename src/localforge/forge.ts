import type { ForgeConfig } from './config.ts';
import type { AppIdentity, Effect } from './context.ts';
import type { Knobs } from './webhook-types.ts';

export interface ForgeOptions {
  /** Everything is kept here; started again on it, the forge goes on where it was. */
  readonly dataDir: string;
  /** Default 0: a free one. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  readonly config?: ForgeConfig;
  /** Where relative `from` paths of the configuration start. Default: the working directory. */
  readonly configDirectory?: string;
  readonly log?: (message: string, detail?: Readonly<Record<string, unknown>>) => void;
}

export interface LocalForge extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** `…/api/v3` */
  readonly apiUrl: string;
  /** Before `/<owner>/<repo>.git`. */
  readonly gitUrl: string;
  readonly app: AppIdentity;
  readonly knobs: Knobs;
  /** Where the App's webhooks go; null: nowhere. Kept. */
  setAppWebhookUrl(url: string | null): void;
  /** The listener is awaited after each write took effect and before it is answered. Returns a function that takes it off. */
  onEffect(listener: (effect: Effect) => void | Promise<void>): () => void;
  /** Resolves when no webhook is pending or in flight. */
  settled(): Promise<void>;
  close(): Promise<void>;
}
