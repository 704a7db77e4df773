/** Secrets of the server that stand in a variable, or in the file that another variable names. */

/** How the caller reads files; this module does no I/O. */
export interface EnvironmentFiles {
  /** The text of the file. Throws when it cannot be read. */
  read(path: string): string;
}

/** A file of credentials, and what it is called in messages. */
export interface CredentialsFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** One variable or the file that another names; '' where neither is set. */
export function readEither(
  env: Variables,
  files: EnvironmentFiles,
  [direct, path]: readonly [string, string],
): { readonly text: string; readonly from: string } | { readonly fault: string } {
  const text = env[direct] ?? '';
  const file = env[path] ?? '';
  if (text !== '' || file === '') return { text, from: direct };
  try {
    return { text: files.read(file), from: path };
  } catch {
    return { fault: `${path} names a file that cannot be read` };
  }
}

/** The file PORTICO_CREDENTIALS; none where that is not set. */
export function readCredentialsFile(
  env: Variables,
  files: EnvironmentFiles,
): { readonly file: CredentialsFile | undefined } | { readonly fault: string } {
  const name = env['PORTICO_CREDENTIALS'] ?? '';
  if (name === '') return { file: undefined };
  try {
    return { file: { name, bytes: Buffer.from(files.read(name)) } };
  } catch {
    return { fault: 'PORTICO_CREDENTIALS names a file that cannot be read' };
  }
}

/** Fewer characters could be guessed. */
const SHORTEST_SEAL_KEY = 32;

/** SEAL_KEYS or the file SEAL_KEYS_PATH: long random texts, one a line or with commas between, newest first. */
export function readSealKeys(
  env: Variables,
  files: EnvironmentFiles,
): { keys: string[] } | { fault: string } {
  const read = readEither(env, files, ['SEAL_KEYS', 'SEAL_KEYS_PATH']);
  if ('fault' in read) return read;
  const keys = read.text
    .split(/[,\n]/)
    .map((key) => key.trim())
    .filter((key) => key !== '');
  if (keys.length === 0 && read.from === 'SEAL_KEYS_PATH')
    return { fault: 'SEAL_KEYS_PATH names an empty file' };
  if (keys.every((key) => key.length >= SHORTEST_SEAL_KEY)) return { keys };
  return {
    fault: `${read.from} holds a key of fewer than ${SHORTEST_SEAL_KEY} characters; make one with: openssl rand -hex 32`,
  };
}

/** PRIVATE_KEY_PREVIOUS or the file PRIVATE_KEY_PREVIOUS_PATH: one PEM after the other, or base64 of that. */
export function readPreviousKeys(
  env: Variables,
  files: EnvironmentFiles,
): { pems: string[] } | { fault: string } {
  const read = readEither(env, files, ['PRIVATE_KEY_PREVIOUS', 'PRIVATE_KEY_PREVIOUS_PATH']);
  if ('fault' in read) return read;
  const pems = asPem(read.text)
    .split(/(?=-----BEGIN )/)
    .map((pem) => pem.trim())
    .filter((pem) => pem !== '');
  const good = pems.every((pem) => PEM.test(pem)) && (pems.length > 0 || read.text.trim() === '');
  if (good) return { pems: pems.map((pem) => `${pem}\n`) };
  return { fault: `${read.from} does not hold unencrypted private keys in PEM form` };
}

const PEM =
  /^-----BEGIN (?:RSA )?PRIVATE KEY-----\n[A-Za-z0-9+/=\n]+\n-----END (?:RSA )?PRIVATE KEY-----\n?$/;

/** PRIVATE_KEY as PEM, as PEM on one line with `\n` for its line ends, or as base64 of PEM; or the file PRIVATE_KEY_PATH. */
export function readPrivateKey(env: Variables, files: EnvironmentFiles): { pem: string } | { fault: string } {
  const { PRIVATE_KEY: direct, PRIVATE_KEY_PATH: path } = env;
  let text = direct ?? '';
  if (text === '') {
    if (path === undefined || path === '')
      return { fault: 'PRIVATE_KEY is missing, and so is PRIVATE_KEY_PATH; one must be set' };
    try {
      text = files.read(path);
    } catch {
      return { fault: 'PRIVATE_KEY_PATH names a file that cannot be read' };
    }
  }
  const pem = asPem(text);
  if (PEM.test(pem)) return { pem: `${pem}\n` };
  return {
    fault: `${text === direct ? 'PRIVATE_KEY' : 'PRIVATE_KEY_PATH'} does not hold an unencrypted private key in PEM form`,
  };
}

/** With lines, whichever way it was written. */
function asPem(text: string): string {
  const plain = text.includes('-----BEGIN') ? text : decodeBase64(text);
  return plain.replaceAll('\\n', '\n').replaceAll('\r', '').trim();
}

function decodeBase64(text: string): string {
  try {
    return atob(text.replaceAll(/\s/g, ''));
  } catch {
    return '';
  }
}
