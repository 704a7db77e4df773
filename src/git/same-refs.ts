/**
 * Asking the other end for its refs without starting git: most fetches bring nothing, and the processes that find that
 * out cost more than all that follows. gitprotocol-v2(5), `ls-refs`; over HTTP each of its requests stands alone.
 */
import type { MirrorRef } from './mirror-types.ts';
import type { Remote } from './remote.ts';
import { authorizationOf } from './run.ts';

const TIMEOUT_MS = 10_000;
/** A list that is longer is git's to read. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Where git gets through and this does not, as behind a proxy that Node was not told of, it is not tried each time. */
const GIVEN_UP_MS = 300_000;
const givenUp = new Map<string, number>();

/**
 * True where the remote has exactly the mirror's refs below these prefixes. False says nothing: let git look, which also
 * knows what to say of refusals.
 */
export async function hasSameRefs(
  remote: Remote,
  mirrored: ReadonlyMap<string, MirrorRef>,
  prefixes: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const { origin, protocol } = new URL(remote.url);
  // What somebody else named, git alone talks to.
  if (remote.token === undefined || remote.reach !== undefined || !/^https?:$/.test(protocol)) return false;
  if ((givenUp.get(origin) ?? -Infinity) > performance.now()) return false;
  const answer = await ask(remote, prefixes, signal);
  signal.throwIfAborted();
  if (answer === null) givenUp.set(origin, performance.now() + GIVEN_UP_MS);
  const refs = answer === null ? null : parseRefs(answer);
  if (refs === null) return false;
  const own = [...mirrored].filter(([ref]) => prefixes.some((prefix) => ref.startsWith(prefix)));
  return own.length === refs.size && own.every(([ref, { oid }]) => refs.get(ref) === oid);
}

/** The body; empty where the answer was another than that; null where there was none. */
async function ask(
  { url, username, token }: Remote,
  prefixes: readonly string[],
  signal: AbortSignal,
): Promise<Buffer | null> {
  const secret = (await token?.()) ?? null;
  signal.throwIfAborted();
  try {
    const response = await fetch(`${url}/git-upload-pack`, {
      method: 'POST',
      // Credentials go nowhere else.
      redirect: 'manual',
      headers: {
        'git-protocol': 'version=2',
        'content-type': 'application/x-git-upload-pack-request',
        accept: 'application/x-git-upload-pack-result',
        ...(secret !== null && { authorization: authorizationOf({ username, token: secret }) }),
      },
      body: [
        pktLine('command=ls-refs\n'),
        DELIMITER,
        ...prefixes.map((prefix) => pktLine(`ref-prefix ${prefix}\n`)),
        FLUSH,
      ].join(''),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const wanted = response.headers.get('content-type') === 'application/x-git-upload-pack-result';
    if (response.status === 200 && wanted && response.body !== null) return await readUpTo(response.body);
    await response.body?.cancel();
    return EMPTY;
  } catch {
    return null;
  }
}

async function readUpTo(body: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BYTES) return EMPTY;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const EMPTY = Buffer.alloc(0);
const DELIMITER = '0001';
const FLUSH = '0000';

function pktLine(text: string): string {
  return `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
}

/** `<id> <ref>` in a frame each, up to a flush; null for anything else. */
function parseRefs(answer: Buffer): Map<string, string> | null {
  const refs = new Map<string, string>();
  for (let at = 0; at + 4 <= answer.length;) {
    const frame = answer.toString('latin1', at, at + 4);
    if (frame === FLUSH) return at + 4 === answer.length ? refs : null;
    const length = /^[0-9a-f]{4}$/.test(frame) ? Number.parseInt(frame, 16) : 0;
    const line = /^([0-9a-f]{40}|[0-9a-f]{64}) (\S+)\n?$/.exec(answer.toString('utf8', at + 4, at + length));
    if (length < 4 || at + length > answer.length || line === null) return null;
    const [, oid = '', ref = ''] = line;
    refs.set(ref, oid);
    at += length;
  }
  return null;
}
