/** Registries as the reconcilers ask for them: one client for each account and credential, which keeps its tokens. */
import { isCovered, type CredentialsOptions } from '../fetching/credentials.ts';
import type { InsideHost } from '../network/inside-host.ts';
import { artifactOf } from '../oci/artifact.ts';
import { pushArtifact } from '../oci/push-artifact.ts';
import { parseReference, registryHost } from '../oci/reference.ts';
import { createRegistryClient, type RegistryClient } from '../oci/registry-client.ts';
import type { Registries, RegistryPlace } from '../reconcile/registry-port.ts';
import { credentialsFor } from './host-credentials.ts';

export interface RegistriesOptions {
  /** What the host holds credentials in. */
  readonly file: CredentialsOptions['file'];
  readonly inside: readonly InsideHost[];
}

/** Makes the port. A credential that an account may not use is refused where it is asked for. */
export function createRegistries({ file, inside }: RegistriesOptions): Registries {
  const credentialsOf = credentialsFor(file);
  const clients = new Map<string, RegistryClient>();
  const clientFor = ({ repository, owner, credentials: name }: RegistryPlace): RegistryClient => {
    const reference = parseReference(repository);
    const url = new URL(`https://${registryHost(reference)}/${reference.repository}`);
    const credentialFor = credentialsOf(owner);
    const credential = name === undefined ? undefined : credentialFor(name, url);
    const isTokenHost = (host: string): boolean =>
      name !== undefined && isCovered(credentialFor, name, new URL(`https://${host}/`));
    // What is said to one credential is for no other: each has a client of its own.
    const key = JSON.stringify([url.host, credential]);
    const held =
      clients.get(key) ?? createRegistryClient({ inside, credentialFor: () => credential, isTokenHost });
    clients.set(key, held);
    return held;
  };
  return {
    digest: async ({ files, facts }) => (await artifactOf(files, facts)).digest,
    resolve: async (place, tag, signal) =>
      clientFor(place).resolve({ ...parseReference(place.repository), tag }, signal),
    push: async (place, { files, facts }, tags, signal) =>
      pushArtifact({
        client: clientFor(place),
        reference: parseReference(place.repository),
        artifact: await artifactOf(files, facts),
        tags,
        signal,
      }),
  };
}
