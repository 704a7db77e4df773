/** Oracle: what only readers of a repository may see stands nowhere else, unless its base configuration or its readers let it. */
import type { HttpExchange } from '@portico/localforge/exchanges';

import type { StageRepository } from '../reconcile/stage-repository.ts';
import { rulesAt } from './git-facts.ts';
import type { Finding } from './publishing.ts';
import { fullName, type Place, type World } from './world.ts';

/** A secret of a repository, as `secretOf` and `hushOf` write them. */
const SECRET = /(?:secret|hush)-([a-z]+)(\d+)(?:-r\d+)?/g;

/** What each place was ever allowed to hold. */
export interface Flow {
  /** Secret → full names of where it may be. */
  readonly allowed: Map<string, Set<string>>;
  /** Secrets that the bot sent to another repository in words. */
  readonly said: { readonly secret: string; readonly to: string; readonly how: string }[];
}

export function freshFlow(): Flow {
  return { allowed: new Map(), said: [] };
}

/** Everything that is written through the API is read; people write no secret of another repository. */
export function hearWords(flow: Flow, number: number): (exchange: HttpExchange) => void {
  return ({ method, url, requestBody, status }) => {
    if (method === 'GET' || status >= 400) return;
    const to = /\/repos\/([^/]+\/[^/]+)\//.exec(url.pathname)?.[1] ?? 'GraphQL';
    for (const [secret, place, of] of requestBody.matchAll(SECRET)) {
      if (Number(of) !== number || to === fullName(place as Place, number)) continue;
      flow.said.push({ secret, to, how: `${method} ${url.pathname}` });
    }
  };
}

/** Notes where every secret that lib holds now may go. */
export async function noteFlow(world: World, flow: Flow, number: number): Promise<void> {
  if (!world.places.has('lib')) return;
  const lib = world.at('lib');
  const text = await lib.git('grep', '-h', '-o', '-E', 'secret-[a-z0-9]+-r[0-9]+', 'main').catch(() => '');
  const secrets = [...new Set(text.split('\n').filter((line) => line !== '')), `hush-lib${number}`];
  for (const [place, target] of world.places) {
    const name = `${target.owner}/${target.repo}`;
    const isControl = place === 'edge' && (await rulesAt(lib, 'main'))?.controlledBy.includes(name) === true;
    const flows = place === 'lib' || (await mayFlow(world, lib, target));
    // Where documents may speak of a repository, its packages are named.
    for (const secret of secrets.filter((one) => flows || (isControl && one.startsWith('hush')))) {
      const where = flow.allowed.get(secret) ?? new Set();
      flow.allowed.set(secret, where.add(name));
    }
  }
}

async function mayFlow(world: World, from: StageRepository, to: StageRepository): Promise<boolean> {
  const [source, target] = [from, to].map(({ owner, repo }) => `${owner}/${repo}`) as [string, string];
  const [theirs, ours] = await Promise.all([rulesAt(from, 'main'), rulesAt(to, 'main')]);
  if (theirs?.sharesTo.includes(target) && ours?.sharesFrom.includes(source)) return true;
  const { records } = world.stage.forge.context;
  const isPublic = ({ owner, repo }: StageRepository): boolean =>
    records.repositoryByName(owner, repo)?.private === false;
  if (isPublic(from)) return true;
  if (isPublic(to)) return false;
  const reads = (login: string, repo: string): boolean => world.audit.roleOf(login, repo) !== 'none';
  const people = records.accounts.all().filter(({ type }) => type === 'User');
  return people.every(({ login }) => !reads(login, target) || reads(login, source));
}

/** Reads every object of every repository, those that no ref holds any more too. */
export async function flowHolds(world: World, flow: Flow, number: number): Promise<Finding[]> {
  const findings = flow.said.map(({ secret, to, how }) => ({
    code: 'private-words',
    what: `${secret} was said in ${to} (${how})`,
    secret,
    to,
  }));
  for (const [place, target] of world.places) {
    const to = fullName(place, number);
    const objects = await target.git('cat-file', '--batch-all-objects', '--batch', '--buffer');
    for (const secret of new Set([...objects.matchAll(SECRET)].map(([whole]) => whole))) {
      if (!secret.includes(`-${place}${number}`)) {
        findings.push({ code: 'private-content', what: `${secret} is in ${to}`, secret, to });
      }
    }
  }
  return findings.filter(({ secret, to }) => !allows(flow, secret, to));
}

function allows({ allowed }: Flow, secret: string, to: string): boolean {
  return allowed.get(secret)?.has(to) === true;
}
