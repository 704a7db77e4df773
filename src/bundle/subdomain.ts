/** Kubernetes' rule for most names, in its words. */

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const IS_SUBDOMAIN = new RegExp(`^${SUBDOMAIN}$`);
/** Characters of a DNS subdomain (RFC 1123). */
const MAX_LENGTH = 253;

const FORM =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end " +
  `with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;

/** What keeps a name from being an RFC 1123 subdomain, in order; empty for a good one. */
export function subdomainProblems(name: string): string[] {
  const problems: string[] = [];
  // The expression takes the square of the length, and a name this long is refused anyway.
  if (name.length > 4 * MAX_LENGTH || !IS_SUBDOMAIN.test(name)) problems.push(FORM);
  if (name.length > MAX_LENGTH) problems.push(`must be no more than ${MAX_LENGTH} characters`);
  return problems;
}
