/** The file in which `docker login`, `skopeo login` and `helm registry login` keep what registries know people by. */
import { z } from 'zod';

import { PorticoError } from '../error.ts';
import type { RegistryCredential } from './authorization.ts';

const file = z.object({
  auths: z
    .record(
      z.string(),
      z.object({
        auth: z.string().optional(),
        username: z.string().optional(),
        password: z.string().optional(),
        identitytoken: z.string().optional(),
      }),
    )
    .optional(),
  credsStore: z.string().optional(),
  credHelpers: z.record(z.string(), z.string()).optional(),
});

export interface CredentialsFile {
  /** By the registry as references have it. */
  credentialFor(registry: string): RegistryCredential | undefined;
  /** The program that keeps the credential instead of the file; it is not asked. */
  helperFor(registry: string): string | undefined;
}

/** What Docker calls its own registry in this file. */
const DOCKER_HUB = ['docker.io', 'index.docker.io', 'registry-1.docker.io'];

/** Reads the file's text. Throws `CREDENTIALS_INVALID`, which quotes nothing of it. */
export function readCredentialsFile(text: string, name: string): CredentialsFile {
  const read = file.safeParse(jsonIn(text, name));
  if (!read.success) {
    const [issue] = read.error.issues;
    throw invalid(name, `${issue?.path.slice(0, 1).join('.') ?? ''} is not as it should be`);
  }
  const { auths = {}, credHelpers = {}, credsStore } = read.data;
  const held = new Map(Object.entries(auths).map(([address, entry]) => [hostOf(address), entry]));
  const helpers = new Map(
    Object.entries(credHelpers).map(([address, program]) => [hostOf(address), program]),
  );
  return {
    credentialFor: (registry) => {
      const entry = held.get(hostOf(registry));
      if (entry === undefined) return undefined;
      const { auth, username, password, identitytoken } = entry;
      if (identitytoken !== undefined && identitytoken !== '') return { identityToken: identitytoken };
      if (username !== undefined && password !== undefined) return { username, password };
      const decoded = Buffer.from(auth ?? '', 'base64').toString('utf8');
      const colon = decoded.indexOf(':');
      if (colon < 1) return undefined;
      return { username: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
    },
    helperFor: (registry) => helpers.get(hostOf(registry)) ?? credsStore,
  };
}

/** `https://index.docker.io/v1/` and `docker.io` are one registry. */
function hostOf(address: string): string {
  const host = address
    .replace(/^https?:\/\//, '')
    .replace(/\/v[12]\/?$/, '')
    .replace(/\/$/, '')
    .toLowerCase();
  return DOCKER_HUB.includes(host) ? 'docker.io' : host;
}

function jsonIn(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(name, 'it is not valid JSON');
  }
}

function invalid(name: string, why: string): PorticoError {
  return new PorticoError('CREDENTIALS_INVALID', `${name} is not a valid credentials file: ${why}`, {
    blame: 'user',
    hint: 'Write it with docker login, skopeo login or helm registry login.',
  });
}
