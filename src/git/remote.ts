import { PorticoError } from '../error.ts';
import type { GitRef, RefUpdate, RejectedRef } from '../reconcile/git-port.ts';
import { gitError, lastLines } from './git-error.ts';
import type { MirrorOptions, PushResult } from './mirror-types.ts';
import { isRedirect, movedError, movedTo, type Question } from './moved.ts';
import { rejectionOf } from './push-refusal.ts';
import { refLines } from './ref-lines.ts';
import type { GitSetup, Login, RunOptions, RunResult } from './run.ts';
import { authorizationOf, runGit } from './run.ts';
import { checkOid, checkRef, checkRefPattern, isOid } from './safe-name.ts';

/** The other end: where it is and how to get in. */
export interface Remote {
  readonly url: string;
  readonly username?: MirrorOptions['username'];
  readonly token?: MirrorOptions['token'];
  readonly moves?: MirrorOptions['moves'];
  readonly reach?: MirrorOptions['reach'];
  /** Settings of every process that talks to it. */
  readonly config?: Readonly<Record<string, string>>;
}

const TEN_MINUTES = 600_000;
/** Whoever gives tokens ends it before that. */
const REFUSALS = 5;

/** Runs a git command that talks to the remote; after a refusal again, with the token that there is then, while there is one. */
export async function runRemote(
  setup: GitSetup,
  remote: Remote,
  args: readonly string[],
  options: RunOptions = {},
): Promise<RunResult> {
  let token = (await remote.token?.()) ?? null;
  for (let times = 1; ; times += 1) {
    const login = token === null ? null : { username: remote.username, token };
    const credential = login === null ? {} : { credential: { url: remote.url, ...login } };
    const config = { ...remote.config, ...(await connections(remote)) };
    const all = { timeoutMs: TEN_MINUTES, config, ...options, ...credential };
    try {
      return await followingMoves({
        remote,
        login,
        args,
        signal: options.signal,
        run: (some) => runGit(setup, some, all),
      });
    } catch (error) {
      const refused = error instanceof PorticoError && error.code === 'GIT_AUTH';
      if (!refused || token === null || times > REFUSALS) throw error;
      const next = (await remote.token?.({ token, times, status: 401 })) ?? null;
      options.signal?.throwIfAborted();
      if (next === null) throw error;
      token = next;
    }
  }
}

/** Setting of what git may connect to: no name is resolved a second time between the judgement and the connection. */
async function connections({ url, reach }: Remote): Promise<Readonly<Record<string, string>>> {
  if (reach === undefined) return {};
  const at = new URL(url);
  const addresses = await reach.addresses(at);
  if (addresses.length === 0) return {};
  const port = at.port === '' ? (at.protocol === 'http:' ? '80' : '443') : at.port;
  const shown = addresses.map((ip) => (ip.includes(':') ? `[${ip}]` : ip));
  return { 'http.curloptResolve': `${at.hostname}:${port}:${shown.join(',')}` };
}

/** Runs it once more where the repository has another name now; where whoever asks judges addresses, it is told instead. */
async function followingMoves({
  remote: { url, moves, reach },
  login,
  args,
  signal,
  run,
}: {
  readonly remote: Remote;
  readonly login: Login | null;
  readonly args: readonly string[];
  readonly signal: AbortSignal | undefined;
  readonly run: (args: readonly string[]) => Promise<RunResult>;
}): Promise<RunResult> {
  try {
    return await run(args);
  } catch (error) {
    const isTold = moves === 'told';
    const ask = questionOf(reach, login);
    const moved = isRedirect(error) ? await movedTo(url, ask, signal, isTold ? 1 : undefined) : null;
    if (moved === null) throw error;
    if (isTold) throw movedError(url, moved);
    return await run(args.map((arg) => (arg === url ? moved : arg)));
  }
}

/** How the other end is asked where it leads to, as git asked it: by the way that was judged, where somebody else named the host. */
function questionOf(reach: Remote['reach'], login: Login | null): Question {
  const headers = login === null ? {} : { authorization: authorizationOf(login) };
  if (reach !== undefined) return (url, signal) => reach.ask(url, headers, signal);
  return (url, signal) => fetch(url, { redirect: 'manual', headers, signal });
}

/** Asks the remote for its refs; tags come with what they lead to. */
export async function lsRemote(
  setup: GitSetup,
  remote: Remote,
  patterns: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, GitRef>> {
  const args = ['ls-remote', '--quiet', '--end-of-options', remote.url, ...patterns.map(checkRefPattern)];
  const { stdout } = await runRemote(setup, remote, args, { signal });
  const refs = new Map<string, GitRef>();
  for (const { oid, name } of refLines(stdout, '\t')) {
    if (!isOid(oid)) continue;
    const ref = name.replace(/\^\{\}$/, '');
    // A peeled line follows its tag's own.
    refs.set(ref, { oid: name === ref ? oid : (refs.get(ref)?.oid ?? oid), commit: oid });
  }
  return refs;
}

/**
 * One atomic push in which every ref has an explicit lease. A refusal is a value; what git could not even ask throws.
 */
export async function pushRefs(
  setup: GitSetup,
  remote: Remote,
  updates: readonly RefUpdate[],
  signal?: AbortSignal,
): Promise<PushResult> {
  if (updates.length === 0) return { ok: true, unchanged: [] };
  const leases = updates.map(
    ({ ref, expect }) => `--force-with-lease=${checkRef(ref)}:${expect === null ? '' : checkOid(expect)}`,
  );
  const refspecs = updates.map(({ ref, to }) => `${to === null ? '' : checkOid(to)}:${ref}`);
  const args = ['push', '--porcelain', '--atomic', '--no-verify', ...leases, '--end-of-options', remote.url];
  const result = await runRemote(setup, remote, [...args, ...refspecs], { accept: [0, 1], signal });
  const lines = result.stdout.toString('utf8').split('\n').flatMap(parseLine);
  const failed = lines.filter((line) => line.flag === '!');
  if (result.exitCode === 0 && failed.length === 0) {
    return { ok: true, unchanged: lines.filter((line) => line.flag === '=').map((line) => line.ref) };
  }
  // No word from the other end: the refs may have moved or not.
  const unknown = failed.length === 0 || failed.some((line) => /remote failure/i.test(line.summary));
  if (unknown) throw gitError({ command: 'push', exitCode: result.exitCode, stderr: result.stderr });
  return { ok: false, rejected: culprits(failed, updates, remoteWords(result.stderr)) };
}

interface PushLine {
  readonly flag: string;
  readonly ref: string;
  readonly summary: string;
}

/** `<flag>\t<from>:<to>\t<summary> (<reason>)` (git-push(1), OUTPUT) */
function parseLine(line: string): PushLine[] {
  const match = /^([ +\-*!=])\t([^\t]*)\t(.*)$/.exec(line);
  if (!match) return [];
  const [, flag = '', pair = '', summary = ''] = match;
  return [{ flag, ref: pair.slice(pair.lastIndexOf(':') + 1), summary }];
}

/** Refs that only fell with the others say "atomic"; they are named only when nobody else is. */
function culprits(
  failed: readonly PushLine[],
  updates: readonly RefUpdate[],
  explanation: string,
): readonly RejectedRef[] {
  const own = failed.filter((line) => !/atomic (?:push|transaction) fail/i.test(line.summary));
  return (own.length > 0 ? own : failed).map(({ ref, summary }) => {
    const created = updates.find((update) => update.ref === ref)?.expect === null;
    return { ref, ...rejectionOf({ summary, explanation, created }) };
  });
}

/** What the forge wrote for a person to read, without git's own lines. */
function remoteWords(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.startsWith('remote:'));
  return lastLines(
    lines
      .map((line) => line.slice('remote:'.length).trim())
      .filter((line) => line !== '')
      .join('\n'),
    8,
  );
}
