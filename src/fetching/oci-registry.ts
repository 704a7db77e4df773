/** Registries, as sources ask them. */
import { PorticoError } from '../error.ts';
import type { InsideHost } from '../network/inside-host.ts';
import type { OutsideFetch } from '../network/outside-fetch.ts';
import { fetchArtifact } from '../oci/fetch-artifact.ts';
import { parseReference } from '../oci/reference.ts';
import { createRegistryClient, type RegistryClient } from '../oci/registry-client.ts';
import { isCovered, type CredentialFor } from './credentials.ts';
import type { ForeignReader, Registry, RegistryAsker } from './host.ts';

/** What they say to one credential is for no other: each has a client of its own. */
export function createRegistry(options: {
  readonly fetch: OutsideFetch;
  readonly inside: readonly InsideHost[];
  readonly reader: Pick<ForeignReader, 'layers'>;
}): Registry {
  const { reader } = options;
  const { fetch, inside } = options;
  const anyone = createRegistryClient({ fetch, inside });
  const clients = new WeakMap<CredentialFor, Map<string, RegistryClient>>();
  const clientOf = ({ credential, credentialFor, name }: RegistryAsker): RegistryClient => {
    if (credential === undefined) return anyone;
    const theirs = clients.get(credentialFor) ?? new Map<string, RegistryClient>();
    clients.set(credentialFor, theirs);
    const key = JSON.stringify([name, credential]);
    const held = theirs.get(key);
    if (held !== undefined) return held;
    const made = createRegistryClient({
      fetch,
      inside,
      credentialFor: () => credential,
      isTokenHost: (host) => isCovered(credentialFor, name, new URL(`https://${host}/`)),
    });
    theirs.set(key, made);
    return made;
  };
  return {
    digestOf: async (reference, asker, signal) => {
      const digest = await clientOf(asker).resolve(parseReference(reference), signal);
      if (digest?.startsWith('sha512:') === true) {
        throw new PorticoError('SOURCE_REFUSED', `${reference} has a digest by SHA-512`, {
          blame: 'user',
          hint: 'Sources are pinned by SHA-256; ask the publisher to provide one.',
        });
      }
      if (digest !== undefined) return digest;
      throw new PorticoError('SOURCE_NOT_FOUND', `there is no ${reference}`, {
        blame: 'user',
        hint: 'Check the name and the tag. Without read access, the answer is the same.',
      });
    },
    tags: (name, asker, signal) => clientOf(asker).tags(parseReference(name), signal),
    pull: async ({ name, digest, directory }, asker, signal) => {
      const { files } = await fetchArtifact(clientOf(asker), parseReference(`${name}@${digest}`), {
        signal,
        directory,
        read: (layers, directory) => reader.layers(layers, directory, signal),
      });
      return files;
    },
  };
}
