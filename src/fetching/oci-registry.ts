/** Registries, as sources ask them. */
import { PorticoError } from '../error.ts';
import type { InsideHost } from '../network/inside-host.ts';
import type { OutsideFetch } from '../network/outside-fetch.ts';
import { fetchArtifact } from '../oci/fetch-artifact.ts';
import { parseReference } from '../oci/reference.ts';
import { createRegistryClient, type RegistryClient } from '../oci/registry-client.ts';
import type { Credential } from './credentials.ts';
import type { ForeignReader, Registry } from './host.ts';

/** What they say to one credential is for no other: each has a client of its own. */
export function createRegistry(options: {
  readonly fetch: OutsideFetch;
  readonly inside: readonly InsideHost[];
  readonly reader: Pick<ForeignReader, 'layers'>;
}): Registry {
  const { reader } = options;
  const clients = new Map<string, RegistryClient>();
  const clientOf = (credential: Credential | undefined): RegistryClient => {
    const key = credential === undefined ? '' : `${credential.username}\n${credential.password}`;
    const held = clients.get(key);
    if (held !== undefined) return held;
    const { fetch, inside } = options;
    const made = createRegistryClient({ fetch, inside, credentialFor: () => credential });
    clients.set(key, made);
    return made;
  };
  return {
    digestOf: async (name, tag, credential, signal) => {
      const reference = parseReference(`${name}:${tag}`);
      const digest = await clientOf(credential).resolve(reference, signal);
      if (digest?.startsWith('sha512:') === true) {
        throw new PorticoError('SOURCE_REFUSED', `${name}:${tag} has a digest by SHA-512`, {
          blame: 'user',
          hint: 'Sources are pinned by SHA-256; ask the publisher to provide one.',
        });
      }
      if (digest !== undefined) return digest;
      throw new PorticoError('SOURCE_NOT_FOUND', `there is no ${name}:${tag}`, {
        blame: 'user',
        hint: 'Check the name and the tag. Without read access, the answer is the same.',
      });
    },
    tags: (name, credential, signal) => clientOf(credential).tags(parseReference(name), signal),
    pull: async ({ name, digest, directory }, credential, signal) => {
      const { files } = await fetchArtifact(clientOf(credential), parseReference(`${name}@${digest}`), {
        signal,
        directory,
        read: (layers, directory) => reader.layers(layers, directory, signal),
      });
      return files;
    },
  };
}
