/** Content into a registry: at once, or in parts that go on where they were broken off. */
import { PorticoError } from '../error.ts';
import { digestOf } from './digest.ts';
import { isTransient, type RegistryHttp } from './registry-http.ts';
import type { RegistryLimits } from './registry-limits.ts';

export interface UploadTo {
  readonly http: RegistryHttp;
  readonly base: URL;
  /** Addresses in the repository. */
  readonly at: (path: string) => URL;
  readonly scope: string;
  readonly limits: RegistryLimits;
  readonly signal: AbortSignal | undefined;
}

/** Where an upload goes on, and with which byte. */
interface Place {
  readonly url: URL;
  readonly offset: number;
}

/**
 * Puts bytes into a repository unless they are there. An upload that is broken off leaves nothing that has a name; it goes
 * on where the registry says that it stopped, or begins anew where the registry knows nothing of it.
 */
export async function uploadBlob(to: UploadTo, bytes: Uint8Array): Promise<'uploaded' | 'present'> {
  const digest = digestOf(bytes);
  const what = `the upload of ${digest}`;
  if (await isThere(to, digest, what)) return 'present';
  let place: Place | undefined;
  for (let times = 1; ; times += 1) {
    try {
      place ??= await begin(to, what);
      while (bytes.length - place.offset > to.limits.chunkBytes) {
        place = await sendPart(to, place, bytes, what);
      }
      await finish({ to, place, bytes, digest, what });
      return 'uploaded';
    } catch (error) {
      to.signal?.throwIfAborted();
      if (!isResumable(error) || times >= to.limits.attempts) throw error;
      await to.http.pause(times, to.signal);
      // The last part may have arrived although its answer did not.
      if (await isThere(to, digest, what)) return 'uploaded';
      place = place === undefined ? undefined : await askPlace(to, place, bytes.length, what);
    }
  }
}

async function isThere(to: UploadTo, digest: string, what: string): Promise<boolean> {
  const { http, at, scope, signal } = to;
  const request = { method: 'HEAD' as const, scope, what, accept: [404], signal };
  return await http.send(at(`blobs/${digest}`), request, ({ status }) => status !== 404);
}

async function begin(to: UploadTo, what: string): Promise<Place> {
  const { http, at, scope, signal } = to;
  return await http.send(at('blobs/uploads/'), { method: 'POST', scope, what, signal }, async (answer) => {
    await answer.body?.cancel();
    return { url: locationOf(answer, at('blobs/uploads/'), what), offset: 0 };
  });
}

async function sendPart(
  to: UploadTo,
  { url, offset }: Place,
  bytes: Uint8Array,
  what: string,
): Promise<Place> {
  const { http, scope, limits, signal } = to;
  const end = offset + limits.chunkBytes;
  const request = {
    method: 'PATCH' as const,
    headers: { 'content-type': 'application/octet-stream', 'content-range': `${offset}-${end - 1}` },
    body: bytes.subarray(offset, end),
    scope,
    what,
    again: false,
    signal,
  };
  return await http.send(url, request, async (answer) => {
    await answer.body?.cancel();
    return { url: locationOf(answer, url, what), offset: end };
  });
}

async function finish({
  to,
  place: { url, offset },
  bytes,
  digest,
  what,
}: {
  readonly to: UploadTo;
  readonly place: Place;
  readonly bytes: Uint8Array;
  readonly digest: string;
  readonly what: string;
}): Promise<void> {
  const { http, scope, signal } = to;
  const target = new URL(url);
  target.searchParams.set('digest', digest);
  const request = {
    method: 'PUT' as const,
    headers: {
      'content-type': 'application/octet-stream',
      ...(offset > 0 && { 'content-range': `${offset}-${bytes.length - 1}` }),
    },
    body: bytes.subarray(offset),
    scope,
    what,
    again: false,
    signal,
  };
  await http.send(target, request, async (answer) => {
    await answer.body?.cancel();
  });
}

/** How far an upload came; undefined where it has to begin anew. */
async function askPlace(
  to: UploadTo,
  { url }: Place,
  length: number,
  what: string,
): Promise<Place | undefined> {
  const { http, scope, signal } = to;
  try {
    return await http.send(url, { scope, what, accept: [404], signal }, async (answer) => {
      await answer.body?.cancel();
      const [, last] = /^(?:bytes=)?0-(\d{1,15})$/.exec(answer.headers.get('range') ?? '') ?? [];
      // Registries say `0-0` of an upload that has nothing, and of one that has one byte.
      if (answer.status === 404 || last === undefined || last === '0') return undefined;
      const offset = Number(last) + 1;
      return offset > length ? undefined : { url: locationOf(answer, url, what), offset };
    });
  } catch (error) {
    to.signal?.throwIfAborted();
    if (error instanceof PorticoError && error.blame === 'user') return undefined;
    throw error;
  }
}

/** Besides what may pass by: an upload that the registry does not know any more, or of which it has another length. */
function isResumable(error: unknown): boolean {
  if (isTransient(error)) return true;
  return error instanceof PorticoError && ['REGISTRY_NOT_FOUND', 'REGISTRY_RANGE'].includes(error.code);
}

function locationOf(answer: Response, from: URL, what: string): URL {
  const location = answer.headers.get('location') ?? '';
  if (location !== '' && URL.canParse(location, from.href)) return new URL(location, from);
  throw new PorticoError('REGISTRY_REFUSED', `${what}: the registry does not return an upload address`, {
    blame: 'user',
    hint: 'Ask the operator of the registry.',
  });
}
