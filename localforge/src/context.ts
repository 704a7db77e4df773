import type { AccessService } from './access.ts';
import type { GitRepository } from './git-repository.ts';
import type { Records } from './records-store.ts';
import type { RepositoryRecord } from './records.ts';
import type { RefService } from './refs.ts';
import type { Store } from './store.ts';
import type { Urls } from './urls.ts';
import type { WebhookEvent, Knobs } from './webhook-types.ts';

/** The App of this forge: there is one. */
export interface AppIdentity {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly clientId: string;
  readonly privateKeyPem: string;
  readonly privateKeyFile: string;
  readonly publicKeyPem: string;
  readonly webhookSecret: string;
  readonly webhookSecretFile: string;
  /** The account that owns it. */
  readonly ownerId: number;
  /** `my-app[bot]`, who does what the App does */
  readonly botId: number;
  readonly createdAt: string;
}

/** Seen by tests after a write took effect and before it is answered. */
export interface Effect {
  readonly kind: 'push' | 'rest';
  readonly method: string;
  /** The registered path, or `/:owner/:repo/git-receive-pack`. */
  readonly route: string;
  /** `owner/name`, or '' when there is no repository. */
  readonly repo: string;
  /** For REST the parameters, body and reply; for a push the refs that moved. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** What every part of the forge works with. */
export interface ForgeContext {
  readonly store: Store;
  /** The collections of the core. Others make theirs with `store.collection`. */
  readonly records: Records;
  readonly app: AppIdentity;
  readonly refs: RefService;
  readonly access: AccessService;
  readonly urls: Urls;
  readonly knobs: Knobs;
  readonly dataDir: string;
  /** The git repository of a record; the same object each time. */
  readonly git: (repository: RepositoryRecord) => GitRepository;
  /** The present time as GitHub writes it: `2026-11-21T11:40:00Z`. */
  readonly now: () => string;
  readonly clock: () => Date;
  /** Stores deliveries in the transaction in progress, to be sent after it. */
  readonly emit: (event: WebhookEvent) => void;
  /** Tells the listeners of `forge.onEffect` and waits for them. */
  readonly effect: (effect: Effect) => Promise<void>;
  readonly log: (message: string, detail?: Readonly<Record<string, unknown>>) => void;
}
