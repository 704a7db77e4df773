/** Where a forge is reached, by the host that people open in a browser. */

export interface Addresses {
  /** API base address. */
  readonly apiUrl: string;
  /** Base address of repositories and pages. */
  readonly gitUrl: string;
}

const GITHUB_COM: Addresses = { apiUrl: 'https://api.github.com', gitUrl: 'https://github.com' };

/**
 * GitHub Enterprise Server has its API below `/api/v3` of its host; github.com and tenants with data residency
 * (`SUBDOMAIN.ghe.com`) have it on a host of its own, `api.SUBDOMAIN.ghe.com`
 * (https://docs.github.com/en/enterprise-cloud@latest/admin/data-residency/about-github-enterprise-cloud-with-data-residency,
 * integrations/terraform-provider-github#2546). Either of the two hosts may be named.
 */
export function addressesOf(protocol: string, host: string | undefined): Addresses {
  if (host === undefined) return GITHUB_COM;
  const name = host.toLowerCase();
  const web = name.replace(/^api\./, '');
  if (web === 'github.com') return GITHUB_COM;
  if (web.endsWith('.ghe.com')) return { apiUrl: `${protocol}://api.${web}`, gitUrl: `${protocol}://${web}` };
  return { apiUrl: `${protocol}://${host}/api/v3`, gitUrl: `${protocol}://${host}` };
}

/**
 * True for the host of a GitHub Enterprise Server: rate limits are off there until its administrators set them
 * (https://docs.github.com/en/enterprise-server@latest/admin/configuring-settings/configuring-user-applications-for-your-enterprise/configuring-rate-limits).
 */
export function hasNoLimits(host: string): boolean {
  return host !== '' && !/(?:^|\.)(?:github\.com|ghe\.com)$/i.test(host);
}

/**
 * The domain of addresses that stand for accounts in commits: `users.noreply.github.com`, elsewhere below the forge's own
 * host, as GitHub Desktop has it (desktop/desktop, `getStealthEmailHostForEndpoint`).
 */
export function noreplyDomain(gitUrl: string): string {
  return `users.noreply.${new URL(gitUrl).hostname}`;
}
