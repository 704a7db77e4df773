import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { addressesOf } from '../../config/addresses.ts';
import { convertCode } from '../../registration/conversion.ts';
import { reserveFiles } from '../../registration/environment-file.ts';
import { manifestFor, readManifest } from '../../registration/manifest.ts';
import { openRegistrationPage } from '../../registration/registration-page.ts';
import { EXIT, usageError } from '../exit-code.ts';
import type { Call } from '../verb.ts';

const MANIFEST = fileURLToPath(new URL('../../../app.yml', import.meta.url));
/** https://docs.github.com/en/apps/creating-github-apps/registering-a-github-app/registering-a-github-app */
const MAX_NAME = 34;

/** `portico app create`: the App is created by the person in the browser, and its credentials land here. */
export async function createApp(call: Call): Promise<number> {
  const { terminal, signal } = call;
  const name = call.text('name');
  if (name !== undefined && (name.length > MAX_NAME || !/[A-Za-z0-9]/.test(name)))
    throw usageError(`--name must have 1 to ${MAX_NAME} characters`, 'See: portico app --help');
  const org = call.text('org');
  if (org !== undefined && !/^[A-Za-z0-9_-]{1,100}$/.test(org))
    throw usageError('--org must be the login of an organisation', 'See: portico app --help');
  const webhookUrl = webhookOf(call);
  const host = hostOf(call);
  const { apiUrl, gitUrl } = addressesOf(host.protocol, host.name);
  const owner = org === undefined ? '' : `/organizations/${org}`;
  const homeUrl = org === undefined ? gitUrl : `${gitUrl}/${org}`;
  const manifest = readManifest(readFileSync(MANIFEST, 'utf8'));

  using files = reserveFiles(call.path('.'));
  await using page = await openRegistrationPage({
    newAppUrl: `${gitUrl}${owner}/settings/apps/new`,
    manifest: (redirectUrl) => manifestFor(manifest, { name, homeUrl, webhookUrl, redirectUrl }),
    signal,
  });
  terminal.print(`Open ${page.url} in a browser in which you are signed in to ${new URL(gitUrl).host}.`);
  const app = await convertCode(apiUrl, await page.code, signal);
  files.write(app, host);
  terminal.print(
    [
      `The App ${app.name} exists. Its id, key and secrets are in ${files.environment} and ${files.key}.`,
      'Keep both secret, and keep a copy: seals of approvals depend on SEAL_KEYS.',
      '',
      'Next:',
      `1. Install it on the repositories that hold packages: ${app.html_url}/installations/new`,
      webhookUrl === undefined
        ? `2. Set its webhook URL, and its secret to WEBHOOK_SECRET, on ${app.html_url}; or use portico run, which needs none.`
        : `2. Webhooks go to ${webhookUrl}.`,
      '3. Run: portico app check',
      '4. Run: portico serve',
    ].join('\n'),
  );
  return EXIT.ok;
}

function webhookOf(call: Call): string | undefined {
  const url = call.text('webhook');
  if (url === undefined || (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))) return url;
  throw usageError(
    '--webhook must be the address of your server or relay',
    'Such as https://portico.example.com/api/github/webhooks',
  );
}

function hostOf(call: Call): { readonly name: string | undefined; readonly protocol: string } {
  const name = call.text('ghe');
  if (name !== undefined && !/^[A-Za-z0-9.-]+(?::[0-9]{1,5})?$/.test(name))
    throw usageError('--ghe must be a host name', 'Such as --ghe github.example.com');
  return { name, protocol: process.env['GHE_PROTOCOL'] === 'http' ? 'http' : 'https' };
}
