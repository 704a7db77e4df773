/** Pull specs of images, as the container libraries read them; problems are told in their words. */

const COMPONENT = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const HOST = `(?:${COMPONENT}(?:\\.${COMPONENT})*|\\[(?:[a-fA-F0-9:]+)\\])(?::[0-9]+)?`;
const PART = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const NAME = `(?:${HOST}/)?${PART}(?:/${PART})*`;
const TAG = '[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}';
const DIGEST = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}';
const REFERENCE = new RegExp(`^(${NAME})(?::(${TAG}))?(?:@(${DIGEST}))?$`);

const ALGORITHMS: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };

/** No registry takes more, and the expressions above look at every character. */
const MAX_CHARACTERS = 4_096;

/** What is wrong with a pull spec; undefined for a good one. */
export function imageProblem(text: string): string | undefined {
  if (/^[a-f0-9]{64}$/.test(text)) {
    return `invalid repository name (${text}), cannot specify 64-byte hexadecimal strings`;
  }
  if (text.length > MAX_CHARACTERS) return 'invalid reference format';
  const { domain, rest } = split(text);
  const colon = rest.indexOf(':');
  const remote = colon === -1 ? rest : rest.slice(0, colon);
  if (remote.toLowerCase() !== remote) return 'invalid reference format: repository name must be lowercase';
  const found = REFERENCE.exec(`${domain}/${rest}`);
  if (found === null) return 'invalid reference format';
  if ((found[1] ?? '').length > 255) return 'repository name must not be more than 255 characters';
  const digest = found[3];
  return digest === undefined ? undefined : digestProblem(digest);
}

function split(text: string): { readonly domain: string; readonly rest: string } {
  const slash = text.indexOf('/');
  const first = slash === -1 ? '' : text.slice(0, slash);
  const named = /[.:]/.test(first) || first === 'localhost' || first.toLowerCase() !== first;
  const domain = slash === -1 || !named || first === 'index.docker.io' ? 'docker.io' : first;
  const rest = slash !== -1 && named ? text.slice(slash + 1) : text;
  return { domain, rest: domain === 'docker.io' && !rest.includes('/') ? `library/${rest}` : rest };
}

function digestProblem(digest: string): string | undefined {
  const at = digest.indexOf(':');
  const [algorithm, encoded] = [digest.slice(0, at), digest.slice(at + 1)];
  const length = Object.hasOwn(ALGORITHMS, algorithm) ? ALGORITHMS[algorithm] : undefined;
  if (length === undefined) return 'unsupported digest algorithm';
  if (encoded.length !== length) return 'invalid checksum digest length';
  return /^[a-f0-9]+$/.test(encoded) ? undefined : 'invalid checksum digest format';
}
