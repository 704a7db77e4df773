import { readFileSync } from 'node:fs';

import { createCredentials, type CredentialFor, type CredentialsOptions } from '../fetching/credentials.ts';

/** Credentials of the server, as each account may use them: those alone that list it. What it returns throws `CREDENTIALS_FILE`. */
export function credentialsFor(file: CredentialsOptions['file']): (owner: string) => CredentialFor {
  const byOwner = new Map<string, CredentialFor>();
  return (organization) => {
    const key = organization.toLowerCase();
    const made =
      byOwner.get(key) ??
      createCredentials({
        file,
        env: process.env,
        readText: (path) => readFileSync(path, 'utf8'),
        organization,
        listedOnly: true,
      });
    byOwner.set(key, made);
    return made;
  };
}
