/** Who plays in the demo, and where. */
import { Octokit } from '@octokit/rest';
import type { ForgeConfig } from '@portico/localforge/config';

export const ORGANISATION = 'acme';
export const UPSTREAM = 'blueprints';
export const DOWNSTREAMS = ['deploy-eu', 'deploy-us'] as const;
export type Downstream = (typeof DOWNSTREAMS)[number];
/** What deploys from each. */
export const DEPLOYED_BY = { 'deploy-eu': 'flux', 'deploy-us': 'argo' } as const;

/**
 * Alice keeps the blueprints, Bob runs the deployments, and neither approves their own work; Carol may only read, and has
 * the login that GitHub gives people of an enterprise with managed users.
 */
export const PEOPLE = {
  alice: { name: 'Alice', role: 'admin', token: 'alice-token' },
  bob: { name: 'Bob', role: 'maintain', token: 'bob-token' },
  carol_acme: { name: 'Carol', role: 'read', token: 'carol-token' },
} as const;
export type Person = keyof typeof PEOPLE;

export function castConfig(): ForgeConfig {
  const people = Object.entries(PEOPLE);
  return {
    tokens: Object.fromEntries(people.map(([login, { token }]) => [token, { login }])),
    users: people.map(([login, { name }]) => ({ login, name, email: `${login}@example.com` })),
    orgs: [{ login: ORGANISATION, members: { alice: 'admin', bob: 'member' }, teams: [] }],
    repos: [UPSTREAM, ...DOWNSTREAMS].map((name) => ({
      owner: ORGANISATION,
      name,
      private: true,
      collaborators: { bob: PEOPLE.bob.role, carol_acme: PEOPLE.carol_acme.role },
    })),
    app: { installations: [{ account: ORGANISATION, repositories: 'all' }] },
  };
}

/** The API as this person. */
export function as(person: Person, apiUrl: string): Octokit {
  return new Octokit({
    auth: PEOPLE[person].token,
    baseUrl: apiUrl,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
}
