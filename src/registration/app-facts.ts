/** What the forge says of an App, asked with the App's own token. */
import { z } from 'zod';

import { PorticoError } from '../error.ts';
import { createAppSigner } from '../forge/app-token.ts';

const levels = z.record(z.string(), z.string().nullish());
const app = z.object({
  slug: z.string(),
  html_url: z.string(),
  permissions: levels,
  events: z.array(z.string()),
});
const installations = z.array(
  z.object({
    account: z.object({ login: z.string() }).nullish(),
    permissions: levels,
    suspended_at: z.string().nullish(),
    html_url: z.string(),
  }),
);
const hook = z.object({ url: z.string().nullish() });
const deliveries = z.array(z.object({ delivered_at: z.string(), status_code: z.number() }));

export interface AppFacts {
  readonly app: z.output<typeof app>;
  /** The first hundred. */
  readonly installations: z.output<typeof installations>;
  /** Where webhooks go; undefined where the forge tells of none. */
  readonly webhookUrl: string | undefined;
  /** The newest deliveries. */
  readonly deliveries: z.output<typeof deliveries>;
  /** How far this machine's clock is ahead of the forge's, in seconds. */
  readonly clockAhead: number;
}

const TIMEOUT_MS = 30_000;

/**
 * @throws PorticoError FORGE_AUTH where the forge does not take the key or the id, FORGE_UNAVAILABLE where it does not answer
 */
export async function readAppFacts(
  {
    apiUrl,
    appId,
    privateKey,
  }: { readonly apiUrl: string; readonly appId: number; readonly privateKey: string },
  signal: AbortSignal,
): Promise<AppFacts> {
  const signer = createAppSigner(appId, privateKey);
  const ask = async (
    path: string,
  ): Promise<{ readonly status: number; readonly date: number; readonly body: unknown }> => {
    const response = await fetch(`${apiUrl}${path}`, {
      headers: { accept: 'application/vnd.github+json', authorization: `Bearer ${signer.jwt()}` },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    }).catch((cause: unknown) => {
      signal.throwIfAborted();
      throw new PorticoError('FORGE_UNAVAILABLE', `${new URL(apiUrl).host} does not answer`, {
        blame: 'forge',
        hint: 'Check GHE_HOST, the network and the proxy of this machine.',
        cause,
      });
    });
    const date = Date.parse(response.headers.get('date') ?? '');
    return { status: response.status, date, body: await response.json().catch(() => null) };
  };

  let first = await ask('/app');
  const clockAhead = Number.isNaN(first.date) ? 0 : Math.round((Date.now() - first.date) / 1_000);
  if (first.status === 401) {
    // A clock that is off has tokens refused; with the forge's time it is seen whether that was all.
    signer.correctClock(new Date(first.date).toUTCString());
    first = await ask('/app');
  }
  const own = app.safeParse(first.body);
  if (first.status !== 200 || !own.success) {
    throw new PorticoError('FORGE_AUTH', `the forge answered ${first.status} to the App's own token`, {
      blame: 'user',
      hint: "Check that APP_ID and PRIVATE_KEY are of the same App, and that the key is among those on the App's page.",
    });
  }
  const listed = installations.safeParse((await ask('/app/installations?per_page=100')).body);
  const told = hook.safeParse((await ask('/app/hook/config')).body);
  const newest = deliveries.safeParse((await ask('/app/hook/deliveries?per_page=20')).body);
  return {
    app: own.data,
    installations: listed.success ? listed.data : [],
    webhookUrl: told.success ? (told.data.url ?? undefined) : undefined,
    deliveries: newest.success ? newest.data : [],
    clockAhead,
  };
}
