import { expect, test } from 'vitest';

import { forgeError } from '../../src/forge/forge-error.ts';
import { gitError } from '../../src/git/git-error.ts';

/** What Node and git said in front of a forge with a certificate of an own authority, each without its variable. */
const ofNode = (message: string) =>
  forgeError({ method: 'GET', route: '/app', status: 0, message, headers: {} }, 0);
const ofGit = (stderr: string) => gitError({ command: 'clone', exitCode: 128, stderr });

test('a certificate that is not trusted names the variables of both programs', () => {
  const hint = expect.stringMatching(/NODE_EXTRA_CA_CERTS.*GIT_SSL_CAINFO/) as string;
  expect(
    ofGit(
      "fatal: unable to access 'https://forge.internal.test/acme/shop.git/': server certificate verification failed. CAfile: none CRLfile: none",
    ),
  ).toMatchObject({ code: 'GIT_UNREACHABLE', hint });
  expect(
    ofNode(
      'unable to verify the first certificate; if the root CA is installed locally, try running Node.js',
    ),
  ).toMatchObject({ code: 'FORGE_UNAVAILABLE', hint });
});

test('other trouble of the network does not', () => {
  expect(ofGit('fatal: unable to access: Could not resolve host: forge.internal.test').hint).toBeUndefined();
  expect(ofNode('getaddrinfo ENOTFOUND forge.internal.test').hint).not.toContain('GIT_SSL_CAINFO');
});
