import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';

import type { Mirror } from '../../src/git/mirror-types.ts';
import { openMirror } from '../../src/git/mirror.ts';
import type { GitServer } from './http-backend.ts';
import { startGitServer } from './http-backend.ts';
import { git } from './repository.ts';

export const BOT = { name: 'Portico', email: 'portico@example.com' };
export const KPTFILE = 'apiVersion: kpt.dev/v1\nkind: Kptfile\n';

export interface MirrorFixture {
  readonly server: GitServer;
  /** Removed at the end. */
  readonly scratch: string;
  /** A name that no test before had; the mirror's directory and the repository's number. */
  readonly name: string;
  /** The bare repository on the server, new for each test, and its address. */
  readonly origin: string;
  readonly url: string;
  /** Opens a mirror of it; closed after the test. */
  open(options?: {
    readonly url?: string;
    readonly token?: string;
    readonly maxBytes?: number;
  }): Promise<Mirror>;
  closeLater(mirror: Mirror): void;
  /** What a ref of the repository stands at, '' where it is absent. */
  refOf(ref: string): string;
}

/** One server for the tests of a file, and for each test an empty repository on it. */
export function useMirrors(): MirrorFixture {
  const opened: Mirror[] = [];
  const closeLater = (mirror: Mirror): void => {
    opened.push(mirror);
  };
  let count = 0;
  const state = { name: '', origin: '', url: '', scratch: '' } as {
    -readonly [K in keyof MirrorFixture]: MirrorFixture[K];
  };
  beforeAll(async () => {
    state.server = await startGitServer();
    state.scratch = mkdtempSync(join(tmpdir(), 'portico-mirror-'));
  });
  afterAll(async () => {
    await state.server[Symbol.asyncDispose]();
    rmSync(state.scratch, { recursive: true, force: true });
  });
  beforeEach(() => {
    count += 1;
    state.name = `m${count}`;
    state.origin = state.server.create(`repo-${count}`);
    state.url = `${state.server.url}/repo-${count}.git`;
    state.server.token = 'ghs_secret';
    state.server.intercept = undefined;
    state.server.cut = undefined;
  });
  afterEach(async () => {
    for (const mirror of opened.splice(0)) await mirror[Symbol.asyncDispose]();
  });
  return Object.assign(state, {
    closeLater,
    refOf: (ref: string) => git(state.origin, ['for-each-ref', '--format=%(objectname)', ref]),
    open: async (options: Parameters<MirrorFixture['open']>[0] = {}) => {
      const mirror = await openMirror({
        dir: join(state.scratch, state.name),
        url: options.url ?? state.url,
        protocols: ['http'],
        token: () => Promise.resolve(options.token ?? 'ghs_secret'),
        ...(options.maxBytes !== undefined && { maxBytes: options.maxBytes }),
      });
      closeLater(mirror);
      return mirror;
    },
  });
}

/** A file to write. */
export function file(text: string): { mode: '100644'; bytes: Uint8Array } {
  return { mode: '100644', bytes: new TextEncoder().encode(text) };
}
