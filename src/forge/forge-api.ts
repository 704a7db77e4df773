import type { Forge as RepositoryForge } from '../reconcile/forge/forge.ts';
import type { RepositoryFacts } from '../reconcile/forge/repository.ts';
import type { AppIdentity, Installation, FailedDelivery, RepositoryKey } from './forge-types.ts';
import type { RefusedToken } from './token-cache.ts';

/**
 * The App on its forge. Errors are PorticoError: RATE_LIMITED (with `retryAfter`), FORGE_UNAVAILABLE (5xx or network;
 * a write may or may not have happened), FORGE_AUTH, FORGE_FORBIDDEN, FORGE_NOT_FOUND, FORGE_CONFLICT (409),
 * FORGE_INVALID (422), INSTALLATION_GONE (the App is not there any more). GETs are asked again, writes never.
 */
export interface Forge {
  app(signal?: AbortSignal): Promise<AppIdentity>;
  installations(signal?: AbortSignal): Promise<Installation[]>;
  repositories(installationId: number, signal?: AbortSignal): Promise<RepositoryFacts[]>;
  /** The forge's number of an account; null where there is none. */
  accountId(installationId: number, login: string, signal?: AbortSignal): Promise<number | null>;
  /** The repository that has this name, or had it and no other took it; null where the App is not installed. */
  repositoryAt(owner: string, repo: string, signal?: AbortSignal): Promise<{ readonly id: number } | null>;
  /** The installation that covers a repository, or null when the App is not installed there. */
  repositoryInstallation(owner: string, repo: string, signal?: AbortSignal): Promise<Installation | null>;
  /** Deliveries since then of which no attempt succeeded, oldest first, one per guid. */
  failedDeliveries(since: Date, signal?: AbortSignal): Promise<FailedDelivery[]>;
  redeliver(deliveryId: number, signal?: AbortSignal): Promise<void>;
  repository(installationId: number, key: RepositoryKey): RepositoryForge;
  /** A token for git, for this repository alone and for contents alone. */
  tokenFor(installationId: number, repositoryId: number, signal?: AbortSignal): Promise<string>;
  /** The one to try after that was refused: the same a moment later while it is young, else a new one; null: none would help. */
  tokenAfter(
    refused: RefusedToken,
    installationId: number,
    repositoryId: number,
    signal?: AbortSignal,
  ): Promise<string | null>;
}
