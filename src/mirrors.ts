import { join } from 'node:path';

import type { Mirror } from './git/mirror-types.ts';
import { openMirror } from './git/mirror.ts';
import type { RepositoryRef } from './reconcile/ports.ts';

export interface MirrorsOptions {
  readonly directory: string;
  /** Base address of repositories, without a trailing slash. */
  readonly gitUrl: string;
  readonly tokenFor: (repository: RepositoryRef, refresh: boolean) => Promise<string>;
}

export interface Mirrors {
  open(repository: RepositoryRef, signal?: AbortSignal): Promise<Mirror>;
  close(): Promise<void>;
}

/** One mirror per repository, by numeric id, opened once and shared; a renamed repository keeps its directory. */
export function createMirrors(options: MirrorsOptions): Mirrors {
  const open = new Map<number, { readonly url: string; readonly mirror: Promise<Mirror> }>();

  async function start(
    repository: RepositoryRef,
    url: string,
    signal: AbortSignal | undefined,
  ): Promise<Mirror> {
    const protocols = url.startsWith('http:') ? (['http'] as const) : [];
    return openMirror({
      dir: join(options.directory, `${repository.id}.git`),
      url,
      token: (refresh) => options.tokenFor(repository, refresh ?? false),
      protocols,
      ...(signal && { signal }),
    });
  }

  return {
    async open(repository, signal) {
      const url = `${options.gitUrl}/${repository.owner}/${repository.name}.git`;
      const known = open.get(repository.id);
      if (known !== undefined && known.url === url) return known.mirror;
      if (known !== undefined) await (await known.mirror)[Symbol.asyncDispose]();
      const mirror = start(repository, url, signal);
      open.set(repository.id, { url, mirror });
      mirror.catch(() => open.delete(repository.id));
      return mirror;
    },
    async close() {
      for (const { mirror } of open.values()) {
        const opened = await mirror.catch(() => null);
        await opened?.[Symbol.asyncDispose]();
      }
      open.clear();
    },
  };
}
