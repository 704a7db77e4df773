/** Kubernetes' rule for names that become parts of host names, in its words. */

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const IS_LABEL = new RegExp(`^${LABEL}$`);
const IS_SUBDOMAIN = new RegExp(`^${LABEL}(\\.${LABEL})*$`);
const WORDS =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";

/** What keeps a name from being an RFC 1123 label; empty for a good one. */
export function labelProblems(name: string): string[] {
  const problems: string[] = [];
  if (name.length > 63) problems.push('must be no more than 63 characters');
  if (name.length > 1_024 || IS_LABEL.test(name)) return problems;
  const dots = IS_SUBDOMAIN.test(name);
  const example = `(e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`;
  problems.push(dots ? 'must not contain dots' : `${WORDS} ${example}`);
  return problems;
}
