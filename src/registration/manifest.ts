/** Pure: the manifest by which the App is created (docs.github.com, "Registering a GitHub App from a manifest"). */
import { parse } from 'yaml';
import { z } from 'zod';

const manifestSchema = z.object({
  name: z.string(),
  description: z.string(),
  url: z.string(),
  public: z.boolean(),
  default_permissions: z.record(z.string(), z.enum(['read', 'write'])),
  default_events: z.array(z.string()),
});

export type Manifest = z.output<typeof manifestSchema>;

/** Reads app.yml. @throws an error of zod for a file that is not ours */
export function readManifest(text: string): Manifest {
  return manifestSchema.parse(parse(text));
}

export interface AppWishes {
  /** Up to 34 characters; names of Apps are taken once for all of a forge. */
  readonly name: string | undefined;
  /** The page of the owner, which the forge shows as the App's homepage. */
  readonly homeUrl: string;
  /** Where the forge sends webhooks; undefined where a relay or nothing takes them yet. */
  readonly webhookUrl: string | undefined;
  /** Where the forge sends the person back with a code. */
  readonly redirectUrl: string;
}

/** What the forge is given, as JSON. Without an address no webhook is sent: the forge wants one in any case. */
export function manifestFor(
  manifest: Manifest,
  { name, homeUrl, webhookUrl, redirectUrl }: AppWishes,
): string {
  return JSON.stringify({
    ...manifest,
    name: name ?? manifest.name,
    url: homeUrl,
    redirect_url: redirectUrl,
    hook_attributes: {
      url: webhookUrl ?? 'https://example.com/api/github/webhooks',
      active: webhookUrl !== undefined,
    },
  });
}
