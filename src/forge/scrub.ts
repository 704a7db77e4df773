const MASK = '***';

/**
 * What looks like a secret of the forge: tokens of any length (`ghs_…`, also the stateless `ghs_APPID_JWT`), JWTs,
 * authorization headers, user and password in a URL, private keys, and `x-access-token:…` in base64.
 */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, MASK],
  [/\b(?:gh[opsur]_|github_pat_)[A-Za-z0-9_.-]+/g, MASK],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+/g, MASK],
  [/\b(basic|bearer)(\s+)[A-Za-z0-9+/._~-]{16,}=*/gi, `$1$2${MASK}`],
  // `Token` is also a kind of resource, before whose names it stands.
  [/\b(token)(\s+)(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{20,}=*(?![\w./-])/gi, `$1$2${MASK}`],
  [/eC1hY2Nlc3MtdG9rZW46[A-Za-z0-9+/]*=*/g, MASK],
  [/:\/\/[^\s/@"']*:[^\s/@"']*@/g, `://${MASK}@`],
];

/** The text without anything that looks like a credential; for errors, logs and whatever is shown on the forge. */
export function scrubSecrets(text: string): string {
  return SECRETS.reduce((clean, [pattern, mask]) => clean.replace(pattern, mask), text);
}
