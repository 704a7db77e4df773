import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { remoteLogin, type CredentialFor } from '../fetching/credentials.ts';
import type { Mirror, Reach, RefusedToken } from '../git/mirror-types.ts';
import { openMirror } from '../git/mirror.ts';
import type { Signer } from '../git/ssh-signature.ts';
import { holdStarter } from '../processes/starter.ts';
import { outsideKey } from '../reconcile/outside-key.ts';
import type { NamedCredential, RepositoryRef } from '../reconcile/ports.ts';

export interface MirrorsOptions {
  readonly directory: string;
  /** Base address of repositories, without a trailing slash. */
  readonly gitUrl: string;
  /** What the mirror of a repository outside of every installation may hold, in bytes. */
  readonly maxOutside: number;
  /** What such a repository may be reached at. */
  readonly reach: Reach;
  /** Credentials of the host, as an account may use them. */
  readonly credentialsOf: (owner: string) => CredentialFor;
  /** Signs commits and tags. */
  readonly signer?: Signer | undefined;
  /** For git; null after a refusal that no other token would help. */
  readonly tokenFor: (repository: RepositoryRef, refused?: RefusedToken) => Promise<string | null>;
}

export interface Mirrors {
  open(repository: RepositoryRef, signal?: AbortSignal): Promise<Mirror>;
  /**
   * A repository outside of every installation, read as anyone may, or with the credential that is named. https only, except on the
   * forge's own host. Throws `SOURCE_CREDENTIALS` each time that the credential may not be used, whatever is here already.
   */
  openAddress(url: string, signal?: AbortSignal, credential?: NamedCredential): Promise<Mirror>;
  /** Removes the mirrors of all repositories but these, and but those that were first opened in the last minute. */
  pruneMirrors(present: ReadonlySet<number>): Promise<void>;
  close(): Promise<void>;
}

/** A repository that was added after the list of those present was made must not lose its mirror. */
const NEW_MS = 60_000;

/** One mirror per repository, by numeric id, opened once and shared; a renamed repository keeps its directory. */
export function createMirrors(options: MirrorsOptions): Mirrors {
  // Whoever has mirrors is a server, and starts git all the time.
  const starter = holdStarter();
  const outside = new Map<string, Promise<Mirror>>();
  const open = new Map<
    number,
    { readonly url: string; readonly since: number; readonly mirror: Promise<Mirror> }
  >();

  async function start(
    repository: RepositoryRef,
    url: string,
    signal: AbortSignal | undefined,
  ): Promise<Mirror> {
    const protocols = url.startsWith('http:') ? (['http'] as const) : [];
    return openMirror({
      dir: join(options.directory, `${repository.id}.git`),
      url,
      token: (refused) => options.tokenFor(repository, refused),
      protocols,
      signer: options.signer,
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
      open.set(repository.id, { url, since: known?.since ?? Date.now(), mirror });
      mirror.catch(() => open.delete(repository.id));
      return mirror;
    },
    async openAddress(url, signal, credential) {
      const login =
        credential &&
        remoteLogin(() => options.credentialsOf(credential.owner)(credential.name, new URL(url)));
      const key = outsideKey(url, credential);
      const known = outside.get(key);
      if (known !== undefined) return known;
      const name = createHash('sha256').update(key).digest('hex').slice(0, 24);
      const isOwn = new URL(url).origin === new URL(options.gitUrl).origin;
      const mirror = openMirror({
        dir: join(options.directory, `outside-${name}.git`),
        url,
        protocols: isOwn && url.startsWith('http:') ? ['http'] : [],
        maxBytes: options.maxOutside,
        moves: 'told',
        ...login,
        // The forge itself may be inside.
        ...(!isOwn && { reach: options.reach }),
        ...(signal && { signal }),
      });
      outside.set(key, mirror);
      mirror.catch(() => outside.delete(key));
      return mirror;
    },
    async pruneMirrors(present) {
      const old = Date.now() - NEW_MS;
      const names = await readdir(options.directory).catch(() => []);
      for (const name of names) {
        const id = Number(/^(\d+)\.git$/.exec(name)?.[1] ?? Number.NaN);
        const known = open.get(id);
        if (Number.isNaN(id) || present.has(id) || (known !== undefined && known.since > old)) continue;
        open.delete(id);
        await (await known?.mirror.catch(() => null))?.[Symbol.asyncDispose]();
        await rm(join(options.directory, name), { recursive: true, force: true });
      }
    },
    async close() {
      for (const mirror of outside.values()) await (await mirror.catch(() => null))?.[Symbol.asyncDispose]();
      outside.clear();
      for (const { mirror } of open.values()) {
        const opened = await mirror.catch(() => null);
        await opened?.[Symbol.asyncDispose]();
      }
      open.clear();
      starter[Symbol.dispose]();
    },
  };
}
