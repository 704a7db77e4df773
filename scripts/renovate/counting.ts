import type { LocalForge } from '@portico/localforge';

import { collaborationStore } from '../../localforge/src/collaboration-store.ts';
import { openFaultProxy, type FaultProxy } from '../../test/e2e/fault-proxy.ts';
import { freePort } from '../../test/e2e/portico-process.ts';

/** One line of the comparison: all calls of one round, and what they come to for each pull request. */
export interface Round {
  readonly who: 'portico' | 'renovate';
  readonly what: string;
  /** Opened, or open already. */
  readonly pulls: number;
  readonly seconds: number;
  readonly reads: number;
  /** REST writes; an App's own tokens are none. */
  readonly writes: number;
  readonly graphql: number;
  /** Each fetch and each push is counted once, by the request that carries it. */
  readonly fetches: number;
  readonly pushes: number;
  readonly callsPerPull: number | null;
  readonly secondsPerPull: number | null;
}

export interface Counting extends AsyncDisposable {
  /** What is taken for the forge. */
  readonly proxy: FaultProxy;
  /** Counts the calls while the work goes on, which tells the seconds that count. */
  round(about: Pick<Round, 'who' | 'what'>, work: () => Promise<number>): Promise<Round>;
}

/** A proxy before the forge, which sees every call of REST, GraphQL and git. */
export async function openCounting(forge: LocalForge): Promise<Counting> {
  const proxy = await openFaultProxy(Number(new URL(forge.url).port), await freePort());
  return {
    proxy,
    async round(about, work) {
      const calls = { reads: 0, writes: 0, graphql: 0, fetches: 0, pushes: 0, all: 0 };
      proxy.judge(({ method, path }) => {
        calls.all += 1;
        if (path.endsWith('/graphql')) calls.graphql += 1;
        else if (path.endsWith('/git-upload-pack')) calls.fetches += 1;
        else if (path.endsWith('/git-receive-pack')) calls.pushes += 1;
        else if (path.endsWith('/access_tokens')) calls.all -= 1;
        else if (method !== 'GET' && method !== 'HEAD') calls.writes += 1;
        else if (!path.endsWith('/info/refs')) calls.reads += 1;
        return undefined;
      });
      const seconds = await work();
      proxy.judge(null);
      const { all, ...counts } = calls;
      const pulls = pullsOn(forge);
      const each = (value: number): number | null =>
        pulls === 0 ? null : Math.round((value / pulls) * 100) / 100;
      return {
        ...about,
        pulls,
        seconds: Math.round(seconds * 10) / 10,
        ...counts,
        callsPerPull: each(all),
        secondsPerPull: each(seconds),
      };
    },
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}

/** How many pull requests there are on the whole forge. */
function pullsOn(forge: LocalForge): number {
  return collaborationStore(forge.context.store).pulls.all().length;
}

export interface PullWatch {
  /** Resolves when as many as wanted are open. */
  readonly all: Promise<void>;
  /** When the newest was opened, or when the watch began; of `performance.now()`. */
  readonly last: () => number;
  readonly off: () => void;
}

/** Tells when the pull request with that number (of all on the forge) is opened, and the time of the newest. */
export function watchPulls(forge: LocalForge, wanted: number): PullWatch {
  const all = Promise.withResolvers<void>();
  let last = performance.now();
  const off = forge.onEffect(({ method, route }) => {
    if (method !== 'POST' || !route.endsWith('/pulls')) return;
    last = performance.now();
    if (pullsOn(forge) >= wanted) all.resolve();
  });
  return { all: all.promise, last: () => last, off };
}
