import type { Octokit } from '@octokit/rest';

import type { RawAccount, RawLabel } from './answer-shapes.ts';
import type { AppIdentity, LookPause, RepositoryKey } from './forge-types.ts';

/** What the calls about one repository share. */
export interface RepositoryContext {
  readonly octokit: Octokit;
  readonly key: RepositoryKey;
  readonly looks: LookPause;
  app(signal?: AbortSignal): Promise<AppIdentity>;
}

/** The parameters that every call about the repository has. */
export function where(
  { key }: RepositoryContext,
  signal: AbortSignal | undefined,
): { owner: string; repo: string; request: { signal?: AbortSignal } } {
  return { owner: key.owner, repo: key.name, request: requestOf(signal) };
}

export function requestOf(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

/** Login, number and kind of an author; GitHub shows those who are gone as `ghost`. */
export function authorOf(user: RawAccount | null | undefined): {
  author: string;
  authorId: number | undefined;
  authorIsBot: boolean;
} {
  return {
    author: user?.login ?? 'ghost',
    authorId: user?.id ?? undefined,
    authorIsBot: user?.type === 'Bot',
  };
}

/** Label names, which the forge gives as texts or objects. */
export function labelNames(labels: readonly (string | RawLabel)[]): string[] {
  return labels
    .map((label) => (typeof label === 'string' ? label : (label.name ?? '')))
    .filter((name) => name !== '');
}
