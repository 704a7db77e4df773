/**
 * Credentials of the host that Portico runs on. A package or a configuration names one and learns nothing of it; each is for
 * hosts, or paths on them, that are listed with it, so that it is sent nowhere else, and on a server for the organisations that are.
 */
import { z } from 'zod';

import { credentialName } from '../config/credential-name.ts';
import { readYaml } from '../config/yaml-place.ts';
import { PorticoError } from '../error.ts';
import type { MirrorOptions } from '../git/mirror-types.ts';

export interface Credential {
  readonly username: string;
  readonly password: string;
}

/** The credential of that name for an address. Throws `SOURCE_CREDENTIALS`. */
export type CredentialFor = (name: string, url: URL) => Credential;

/** Whether the credential of that name may be sent to an address. */
export function isCovered(credentialFor: CredentialFor, name: string, url: URL): boolean {
  try {
    credentialFor(name, url);
    return true;
  } catch (error) {
    if (error instanceof PorticoError && error.code === 'SOURCE_CREDENTIALS') return false;
    throw error;
  }
}

const entry = z
  .strictObject({
    name: credentialName,
    hosts: z.array(z.string().regex(/^[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:\/[A-Za-z0-9._~-]+)*\/?$/)).min(1),
    organizations: z.array(z.string()).min(1).optional(),
    username: z.string().default('x-access-token'),
    password: z.string().min(1).optional(),
    passwordEnv: z.string().min(1).optional(),
    passwordFile: z.string().min(1).optional(),
  })
  .refine(
    ({ password, passwordEnv, passwordFile }) =>
      [password, passwordEnv, passwordFile].filter((one) => one !== undefined).length === 1,
    'needs exactly one of password, passwordEnv and passwordFile',
  );

const schema = z.strictObject({ credentials: z.array(entry).max(1_000) });

export interface CredentialsOptions {
  /** The file with the credentials; undefined where there is none. */
  readonly file: { readonly name: string; readonly bytes: Uint8Array } | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Text of a file with a password. Throws where it cannot be read. */
  readonly readText: (path: string) => string;
  /** The owner of the packages that ask; undefined for whoever sits at the terminal. */
  readonly organization?: string;
  /** A credential that lists no organisations is for none: many share a server. */
  readonly listedOnly?: true;
}

/** Reads the file. Throws `CREDENTIALS_FILE`, which never holds a value of it. */
export function createCredentials(options: CredentialsOptions): CredentialFor {
  const entries = options.file === undefined ? [] : entriesOf(options.file);
  return (name, url) => {
    // Organisations may each have one of the same name.
    const found = entries.find((one) => one.name === name && mayUse(one, options));
    // Whoever may not use one does not learn that it is there.
    if (found === undefined) {
      throw refused(`the credential ${name} is not configured`, 'Ask the operator of Portico to add it.');
    }
    if (!found.hosts.some((entry) => covers(entry, url))) {
      throw refused(
        `the credential ${name} is not for ${url.host}${url.pathname.replace(/^\/$/, '')}`,
        'Use another credential, or ask the operator of Portico to list the host and path.',
      );
    }
    return { username: found.username, password: passwordOf(found, options) };
  };
}

/** Whether an address is at a host as it is listed: `git.example.com`, with a port, with a path that everything below belongs to. */
function covers(entry: string, { host, hostname, pathname }: URL): boolean {
  const [listed = '', ...path] = entry.split('/').filter((part) => part !== '');
  if (![host, hostname].includes(listed.toLowerCase())) return false;
  if (path.length === 0) return true;
  // Encoded or empty parts, and parameters of parts (`..;a`), which a server may read as another path.
  if (/%|;|\/\//.test(pathname)) return false;
  const parts = pathname
    .slice(1)
    .replace(/\.git$/, '')
    .split('/');
  return path.every((part, at) => parts[at] === part.replace(/\.git$/, ''));
}

function mayUse(
  { organizations }: z.output<typeof entry>,
  { organization, listedOnly }: CredentialsOptions,
): boolean {
  if (organization === undefined) return true;
  if (organizations === undefined) return listedOnly !== true;
  return organizations.some((one) => one === '*' || one.toLowerCase() === organization.toLowerCase());
}

/** How git logs in: with the password that there is each time. After a refusal there is nothing else to try. */
export function remoteLogin(
  credential: () => Credential,
): Required<Pick<MirrorOptions, 'username' | 'token'>> {
  return {
    username: credential().username,
    token: async (refused) => (refused === undefined ? credential().password : null),
  };
}

function entriesOf({ name, bytes }: { readonly name: string; readonly bytes: Uint8Array }) {
  const yaml = readYaml(name, bytes);
  const [problem] = yaml.problems;
  // What the parser says may quote the file.
  if (problem !== undefined) throw unreadable(name, `line ${problem.line} is not valid YAML`);
  const parsed = schema.safeParse(yaml.data);
  if (parsed.success) return parsed.data.credentials;
  const [issue] = parsed.error.issues;
  throw unreadable(name, `${issue?.path.join('.') || 'the document'} is not as it should be`);
}

function passwordOf(
  { name, password, passwordEnv, passwordFile }: z.output<typeof entry>,
  { env, readText }: CredentialsOptions,
): string {
  if (password !== undefined) return password;
  const fromEnv = passwordEnv === undefined ? undefined : env[passwordEnv];
  if (fromEnv !== undefined && fromEnv !== '') return fromEnv;
  if (passwordEnv !== undefined)
    throw refused(`${passwordEnv} of the credential ${name} is not set`, 'Set it.');
  try {
    return readText(passwordFile ?? '').trim();
  } catch {
    throw refused(`the file of the credential ${name} cannot be read`, 'Check its path and permissions.');
  }
}

function refused(message: string, hint: string): PorticoError {
  return new PorticoError('SOURCE_CREDENTIALS', message, { blame: 'user', hint });
}

function unreadable(name: string, why: string): PorticoError {
  return new PorticoError('CREDENTIALS_FILE', `${name} is not a valid credentials file: ${why}`, {
    blame: 'user',
    hint: 'docs/sources.md shows how they are written.',
  });
}
