/**
 * Pure: takes what looks like a secret out of a text. Every expression here runs over text of others and takes time in
 * proportion to its length: none can start again inside what it has just looked through.
 */
const MASK = '***';

type Mask = string | ((found: string, ...groups: string[]) => string);

/**
 * What looks like a secret of the forge: tokens of any length (`ghs_…`, also the stateless `ghs_APPID_JWT`), JWTs,
 * authorization headers, private keys, `x-access-token:…` in base64, and what stands in addresses.
 */
const SECRETS: readonly (readonly [RegExp, Mask])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, MASK],
  [/\b(?:gh[opsur]_|github_pat_|glpat-)[A-Za-z0-9_.-]+/g, MASK],
  [/[\w.-]+/g, withoutWebTokens],
  [/\b(basic|bearer)(\s+)[A-Za-z0-9+/._~-]{16,}=*/gi, `$1$2${MASK}`],
  // `Token` is also a kind of resource, before whose names it stands.
  [/\b(token)(\s+)(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{20,}=*(?![\w./-])/gi, `$1$2${MASK}`],
  [/eC1hY2Nlc3MtdG9rZW46[A-Za-z0-9+/]*=*/g, MASK],
  [/(ssh)?:\/\/([^\s/"'<>`]*)@/gi, withoutUser],
  [
    /([?&](?:[\w-]{0,40}[_-])?(?:token|api_?key|passw(?:or)?d|secret|signature)=)[^\s&#"'<>`]+/gi,
    `$1${MASK}`,
  ],
];

/** The text without anything that looks like a credential; for errors, logs and whatever is shown on the forge. */
export function scrubSecrets(text: string): string {
  return SECRETS.reduce((clean, [pattern, mask]) => {
    return typeof mask === 'string' ? clean.replace(pattern, mask) : clean.replace(pattern, mask);
  }, text);
}

/** What looks like a credential in an address of a repository, so that nobody has to write it down. */
export function holdsCredentials(address: string): boolean {
  // As programs read it: tabs and line ends do not count, and a backslash is a slash.
  const plain = address
    .replaceAll(/[\t\n\r]/g, '')
    .replaceAll('\\', '/')
    .trim();
  const [, scheme = '', authority = ''] = /^([a-z][a-z0-9+.-]+):\/+([^/]*)/i.exec(plain) ?? [];
  const at = authority.lastIndexOf('@');
  const user = at < 0 ? '' : authority.slice(0, at);
  const named = /ssh/i.test(scheme) ? user.includes(':') || /%3a/i.test(user) : user !== '';
  // `user:password@host:path`, as no program takes it and people write it all the same.
  return named || /^[^/@\s:]+:[^/@\s]*@[^/\s]+:/.test(plain) || scrubSecrets(plain) !== plain;
}

/** One name of a user is no secret to ssh, which takes keys; to others it may be a token. */
function withoutUser(found: string, ssh: string | undefined, user: string): string {
  return ssh !== undefined && !/:|%3a/i.test(user) ? found : `${ssh ?? ''}://${MASK}@`;
}

/** Three parts of a JSON web token, the first beginning with `{"` in base64, wherever they stand between dots. */
function withoutWebTokens(word: string): string {
  if (!word.includes('eyJ')) return word;
  const parts = word.split('.');
  const clean: string[] = [];
  for (let at = 0; at < parts.length; at += 1) {
    const [first = '', second = '', third = ''] = parts.slice(at, at + 3);
    const start = first.search(/\beyJ[\w-]{8}/);
    if (start >= 0 && second.length >= 8 && third !== '') {
      clean.push(`${first.slice(0, start)}${MASK}`);
      at += 2;
    } else clean.push(first);
  }
  return clean.join('.');
}
