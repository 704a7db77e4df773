/** The registry that a person at the terminal names, as the person may reach it. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { PorticoError } from '../error.ts';
import { parseInsideHost, parseInsideHosts } from '../network/inside-host.ts';
import { readCredentialsFile, type CredentialsFile } from '../oci/credentials-file.ts';
import { registryHost, type Reference } from '../oci/reference.ts';
import { createRegistryClient, type RegistryClient } from '../oci/registry-client.ts';
import { reasonOf } from './system-error.ts';
import type { Call } from './verb.ts';

/** Registries on this machine have no certificates, as all tools assume. */
const THIS_MACHINE = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/;

/**
 * A client for the registry of a reference. Whoever types its name may reach it, wherever it is; where it leads is judged as
 * every address that others chose.
 */
export function openRegistry(call: Call, reference: Reference): RegistryClient {
  const host = registryHost(reference);
  const plain = call.has('plain-http') || THIS_MACHINE.test(host);
  const typed = parseInsideHost(`${plain ? 'http' : 'https'}://${host}`);
  const credentials = credentialsOf(call);
  return createRegistryClient({
    inside: [...(typed === undefined ? [] : [typed]), ...parseInsideHosts(process.env['INSIDE_HOSTS'])],
    credentialFor: (registry) => {
      const found = credentials?.credentialFor(registry);
      const helper = found === undefined ? credentials?.helperFor(registry) : undefined;
      if (helper !== undefined) {
        call.terminal.warn(
          `docker-credential-${helper} holds the credentials for ${registry}, but Portico runs no credential helpers; skopeo login --authfile FILE ${registry} writes them to a file`,
        );
      }
      return found;
    },
    isTokenHost: (host) => host === call.text('token-host'),
  });
}

/** The first of the files that is there; one that was named has to be. */
function credentialsOf(call: Call): CredentialsFile | undefined {
  const named = call.text('authfile');
  const { env } = process;
  const [file, run, docker] = [env['REGISTRY_AUTH_FILE'], env['XDG_RUNTIME_DIR'], env['DOCKER_CONFIG']];
  const places =
    named === undefined
      ? [
          ...(file === undefined ? [] : [file]),
          ...(run === undefined ? [] : [join(run, 'containers', 'auth.json')]),
          join(docker ?? join(homedir(), '.docker'), 'config.json'),
        ]
      : [call.path(named)];
  for (const place of places) {
    try {
      return readCredentialsFile(readFileSync(place, 'utf8'), place);
    } catch (error) {
      if (error instanceof PorticoError) throw error;
      if (named === undefined && (error as NodeJS.ErrnoException).code === 'ENOENT') continue;
      throw new PorticoError('CREDENTIALS_UNREADABLE', `${place} cannot be read: ${reasonOf(error)}`, {
        blame: 'user',
        cause: error,
        hint: 'Name the file that docker login or skopeo login wrote.',
      });
    }
  }
  return undefined;
}
