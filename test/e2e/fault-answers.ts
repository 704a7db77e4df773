import { readdirSync, readFileSync } from 'node:fs';

import type { Call, Fault, Judge } from './fault-proxy.ts';

/** What a wrong answer is to a call, by its name in the tables; the process of the bot is there to be harmed too. */
type Wrong = (pid: number | undefined) => Fault | undefined;

const LIMITED = '{"message":"You have exceeded a secondary rate limit."}';
const limited = (status: number) => (): Fault => ({
  kind: 'answer',
  status,
  headers: { 'retry-after': '1' },
  body: LIMITED,
});
const EXPIRED: Fault = { kind: 'answer', status: 401, body: '{"message":"Bad credentials"}' };

/** To writes. */
export const WRONG_TO_WRITES: Readonly<Record<string, Wrong>> = {
  '500': () => ({ kind: 'answer', status: 500 }),
  '502, done': () => ({ kind: 'lost-answer', status: 502 }),
  reset: () => ({ kind: 'reset' }),
  'reset, done': () => ({ kind: 'lost-reset' }),
  dribble: () => ({ kind: 'slow', ms: 1_500 }),
  '401': () => EXPIRED,
  'limit 403': limited(403),
  'limit 429': limited(429),
  '503': () => ({ kind: 'answer', status: 503 }),
  'no answer': () => ({ kind: 'hang' }),
  'no answer, done': () => ({ kind: 'lost-hang' }),
  'starter killed': killStarterOf,
};

/** To reads, of git too. */
const WRONG_TO_READS: Readonly<Record<string, Wrong>> = {
  'read: reset': () => ({ kind: 'reset' }),
  'read: cut': () => ({ kind: 'cut' }),
  'read: 503': () => ({ kind: 'answer', status: 503 }),
  'read: dribble': () => ({ kind: 'slow', ms: 500 }),
  'read: 401': () => EXPIRED,
  'read: limit 403': limited(403),
};

/**
 * Each call meets a fault the first time that it is made, always of the kind that was met least so far; `met` counts
 * them, over as many runs as it is handed to. What waits for half a minute comes once in a run.
 */
export function mixed(met: Map<string, number>, pid: number | undefined): Judge {
  const seen = new Set<string>();
  const waited = new Set<string>();
  const next = (kinds: Readonly<Record<string, Wrong>>): [string, Wrong] => {
    const all = Object.entries(kinds).filter(([name]) => !waited.has(name));
    const [kind] = all.toSorted(([one], [other]) => (met.get(one) ?? 0) - (met.get(other) ?? 0));
    return kind!;
  };
  return (call) => {
    // Of the tokens themselves one that is refused is another story.
    if (call.path.endsWith('/access_tokens') || seen.has(nameOf(call))) return undefined;
    seen.add(nameOf(call));
    const [name, wrong] = next(call.writes ? WRONG_TO_WRITES : WRONG_TO_READS);
    if (name.startsWith('no answer')) waited.add(name);
    met.set(name, (met.get(name) ?? 0) + 1);
    return wrong(pid);
  };
}

function nameOf({ method, path, about }: Call): string {
  return `${method} ${path.replace(/(?<=\/)\d+$/, 'N')} ${about}`;
}

/** Linux tells who the children of a process are. */
function killStarterOf(pid: number | undefined): undefined {
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const children = readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean);
    for (const one of children)
      if (readFileSync(`/proc/${one}/cmdline`, 'utf8').includes('starter-child'))
        process.kill(Number(one), 'SIGKILL');
  }
}
