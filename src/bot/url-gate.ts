/** Asks an address of a rollout's gate whether it holds: a webhook of the owner's, or a query of Prometheus. */
import { PorticoError } from '../error.ts';
import type { OutsideFetch } from '../network/outside-fetch.ts';
import { readBody } from '../network/read-body.ts';
import type { UrlAnswer } from '../reconcile/ports.ts';

/** `owner` is the account whose rollout it is. */
type AskUrl = (url: string, owner: string, signal?: AbortSignal) => Promise<UrlAnswer>;

/** Bytes of an answer: of a query that gives one number it has a few hundred. */
const MAX_ANSWER = 64 * 1024;
/** So long an answer may take, in milliseconds. */
const MAX_MS = 10_000;

/**
 * `hosts` are those that the operator allows, as `host` or `host:port` for all accounts, or as `account/host` for one: whoever writes a rollout document could else have the server ask
 * anything. Nothing is sent but the request itself, and no redirect is followed.
 */
export function createUrlGate(hosts: readonly string[], fetch: OutsideFetch): AskUrl {
  const allowed = new Set(hosts.map((host) => host.toLowerCase()));
  return async (url, owner, signal) => {
    const place = new URL(url);
    const host = place.host.toLowerCase();
    if (!allowed.has(host) && !allowed.has(`${owner.toLowerCase()}/${host}`))
      return no(`${place.host} is not one of the hosts that gates may ask (GATE_HOSTS)`);
    const timer = AbortSignal.timeout(MAX_MS);
    try {
      const within = signal === undefined ? timer : AbortSignal.any([signal, timer]);
      const response = await fetch(place, { headers: { accept: 'application/json' }, signal: within });
      if (response.status < 200 || response.status >= 300) {
        await response.body?.cancel();
        return no(`${place.host} answered ${response.status}`);
      }
      return judged(place.host, await readBody(response, MAX_ANSWER));
    } catch (error) {
      signal?.throwIfAborted();
      if (timer.aborted) return no(`${place.host} did not answer within ${MAX_MS / 1_000} s`);
      const why = error instanceof PorticoError ? error.code : 'its answer broke off';
      return no(`${place.host} could not be asked (${why})`);
    }
  };
}

function no(why: string): UrlAnswer {
  return { holds: false, why };
}

/**
 * Holds for an empty answer, for JSON that says `{"holds": true}`, and for a query of Prometheus with at least one sample and no
 * sample of 0, as comparisons with `bool` give them (https://prometheus.io/docs/prometheus/latest/querying/api/#instant-queries).
 * Anything else may be the page of a login or of an error, and does not hold.
 */
function judged(host: string, bytes: Uint8Array): UrlAnswer {
  if (bytes.length === 0) return { holds: true };
  const answer = parsed(bytes);
  if (typeof answer !== 'object' || answer === null)
    return no(`${host} answered with something else than ${EXPECTED}`);
  if ('holds' in answer)
    return answer.holds === true ? { holds: true } : no(`${host} says that it does not hold`);
  if (!('status' in answer) || answer.status !== 'success' || !('data' in answer))
    return no(`${host} answered with something else than ${EXPECTED}`);
  const samples = samplesOf(answer.data);
  if (samples.length === 0) return no(`the query of ${host} gave no sample`);
  const isZero = samples.some((value) => !(Number(value) !== 0 && Number.isFinite(Number(value))));
  return isZero ? no(`the query of ${host} does not hold`) : { holds: true };
}

const EXPECTED = '`{"holds": true}`, a result of Prometheus or nothing';

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** The values of a vector, or of a scalar. */
function samplesOf(data: unknown): readonly unknown[] {
  if (typeof data !== 'object' || data === null || !('result' in data) || !Array.isArray(data.result))
    return [];
  const { result } = data as { readonly result: readonly unknown[] };
  if ('resultType' in data && data.resultType === 'scalar') return result.slice(1, 2);
  return result.flatMap((one) => {
    const value: unknown = (one as { value?: unknown } | null)?.value;
    // A histogram has no value: it counts as a sample that does not hold.
    return [Array.isArray(value) ? value[1] : undefined];
  });
}
