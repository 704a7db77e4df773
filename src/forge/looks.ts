import { z } from 'zod';

import type { CheckRun } from '../reconcile/forge/checks.ts';
import type { Forge } from '../reconcile/forge/forge.ts';
import type { Pull } from '../reconcile/forge/pulls.ts';
import type { RawCheckRun } from './answer-shapes.ts';
import { isOurs, toCheckRun, type PutAmong } from './checks.ts';
import { isForgeError } from './forge-error.ts';
import type { AppIdentity } from './forge-types.ts';
import { isWrite, runGraphql } from './octokit.ts';
import { branchPullsIn, branchPullsQuery, LOOK, lookIn, rateLimitIn, type PullLook } from './pull-query.ts';
import type { RepositoryContext } from './repository-context.ts';

/** So old may be what a look gives, in milliseconds: about what fetching and rendering take between the first read and the last. */
const MAX_LOOK_MS = 3_000;
/** GraphQL's points that are left to what REST cannot do (who edited a text, drafts, merge queues), of 5,000 an hour. */
const MIN_POINTS = 500;
/** An older GitHub Enterprise Server that does not know a field is not asked again for so long, in milliseconds. */
const UNKNOWN_MS = 3_600_000;
/** Branches that one query asks about: more than the packages of one job, and few points. */
const BRANCHES_AT_ONCE = 25;

type Part = keyof PullLook;

const PARTS: readonly Part[] = ['pull', 'comments', 'reviews', 'drafted', 'latest', 'history'];

/** Adds to the calls of one repository those that read several things at once. */
export function withLooks(
  context: RepositoryContext,
  single: Omit<Forge, 'lookingAt' | 'pullsOfBranches'> & PutAmong,
): Forge {
  let writes = 0;
  context.octokit.hook.before('request', (options) => {
    if (isWrite(options)) writes += 1;
  });
  const forge: Forge = {
    ...single,
    pullsOfBranches: async (branches, signal) => {
      const found = new Map<string, readonly Pull[]>();
      for (let at = 0; at < branches.length; at += BRANCHES_AT_ONCE) {
        const some = branches.slice(at, at + BRANCHES_AT_ONCE);
        const told = await askBranchPulls(context, some, signal);
        for (const [place, branch] of some.entries()) {
          const pulls = told[place] ?? (await single.pullsForHead({ branch }, { state: 'all' }, signal));
          found.set(branch, pulls);
        }
      }
      return found;
    },
    lookingAt: (n) => {
      let now: { readonly at: number; readonly writes: number; readonly asked: Promise<PullLook | null> };
      const left = new Set<Part>();
      const take = async <Name extends Part>(
        part: Name,
        signal: AbortSignal | undefined,
      ): Promise<PullLook[Name] | null> => {
        if (!left.has(part) || Date.now() - now.at > MAX_LOOK_MS || now.writes !== writes) {
          now = { at: Date.now(), writes, asked: askLook(context, n, signal) };
          for (const one of PARTS) left.add(one);
        }
        left.delete(part);
        return (await now.asked)?.[part] ?? null;
      };
      return { ...forge, ...lookOf(context, single, { n, take }) };
    },
  };
  return forge;
}

/** The reads that a look answers; each is made by itself where it does not. */
function lookOf(
  context: RepositoryContext,
  single: Omit<Forge, 'lookingAt' | 'pullsOfBranches'> & PutAmong,
  look: {
    readonly n: number;
    take<Name extends Part>(part: Name, signal: AbortSignal | undefined): Promise<PullLook[Name] | null>;
  },
): Pick<
  Forge,
  'getPull' | 'listComments' | 'listReviews' | 'draftedAt' | 'ourChecks' | 'checkHistory' | 'putChecks'
> {
  return {
    getPull: async (n, signal) =>
      (n === look.n ? await look.take('pull', signal) : null) ?? (await single.getPull(n, signal)),
    listComments: async (n, signal) =>
      (n === look.n ? await look.take('comments', signal) : null) ?? (await single.listComments(n, signal)),
    listReviews: async (n, signal) =>
      (n === look.n ? await look.take('reviews', signal) : null) ?? (await single.listReviews(n, signal)),
    draftedAt: async (n, login, signal) => {
      const drafted = n === look.n ? await look.take('drafted', signal) : null;
      if (drafted === null) return await single.draftedAt(n, login, signal);
      return drafted.filter((one) => one.login === login).map(({ at }) => at);
    },
    ourChecks: async (sha, signal) => {
      const runs = await look.take('latest', signal);
      if (runs?.sha !== sha) return await single.ourChecks(sha, signal);
      return ours(runs.latest, await context.app(signal));
    },
    checkHistory: async (sha, name, signal) => {
      const runs = await look.take('history', signal);
      if (runs?.sha !== sha) return await single.checkHistory(sha, name, signal);
      const named = runs.all.filter((run) => run.name === name);
      return ours(named, await context.app(signal));
    },
    putChecks: async (checks, signal) => {
      await single.putAmong(
        checks,
        async (sha) => {
          const runs = await look.take('latest', signal);
          if (runs?.sha !== sha) return null;
          const app = await context.app(signal);
          return runs.latest.filter((run) => isOurs(run, app));
        },
        signal,
      );
    },
  };
}

function ours(runs: readonly RawCheckRun[], app: AppIdentity): CheckRun[] {
  return runs.filter((run) => isOurs(run, app)).map((run) => toCheckRun(run, app));
}

async function askLook(
  context: RepositoryContext,
  n: number,
  signal: AbortSignal | undefined,
): Promise<PullLook | null> {
  const { id: app } = await context.app(signal);
  const data = await ask(context, { name: 'look', document: LOOK, variables: { number: n, app } }, signal);
  return lookIn(data, context.key.id);
}

async function askBranchPulls(
  context: RepositoryContext,
  branches: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly (readonly Pull[] | null)[]> {
  const variables = Object.fromEntries(branches.map((branch, at) => [`branch${at}`, branch]));
  const asked = { name: 'branch pulls', document: branchPullsQuery(branches.length), variables };
  const told = branchPullsIn(await ask(context, asked, signal), branches.length);
  const owner = context.key.owner.toLowerCase();
  return told.map(
    (pulls) =>
      pulls?.filter(({ headRepository }) => headRepository?.split('/')[0]?.toLowerCase() === owner) ?? null,
  );
}

/** The repository of an answer; null where GraphQL does not give it, for whatever reason: REST tells it, or says what is wrong. */
async function ask(
  { octokit, key, looks }: RepositoryContext,
  query: { readonly name: string; readonly document: string; readonly variables: object },
  signal: AbortSignal | undefined,
): Promise<object | null> {
  if (Date.now() < looks.until) return null;
  const variables = { owner: key.owner, name: key.name, ...query.variables };
  let data: unknown;
  try {
    data = await runGraphql({ octokit, ...query, variables, signal });
  } catch (error) {
    signal?.throwIfAborted();
    if (isForgeError(error, 'FORGE_INVALID')) looks.until = Date.now() + UNKNOWN_MS;
    return null;
  }
  const rateLimit = rateLimitIn(data);
  if (rateLimit !== null && rateLimit.remaining < MIN_POINTS) looks.until = Date.parse(rateLimit.resetAt);
  const schema = z.object({ repository: z.object({ databaseId: z.literal(key.id) }).loose() });
  return schema.safeParse(data).data?.repository ?? null;
}
