/** Who plays in the demo, and where. */
import { Octokit } from '@octokit/rest';

import type { ForgeConfig } from '../localforge/config.ts';

export const ORGANISATION = 'acme';
export const UPSTREAM = 'blueprints';
export const DOWNSTREAMS = ['deploy-eu', 'deploy-us'] as const;
export type Downstream = (typeof DOWNSTREAMS)[number];

/** Alice keeps the blueprints, Bob runs the deployments; both may write, and neither approves their own work. */
export const TOKENS = { alice: 'alice-token', bob: 'bob-token' } as const;
export type Person = keyof typeof TOKENS;

export function castConfig(): ForgeConfig {
  return {
    tokens: { [TOKENS.alice]: { login: 'alice' }, [TOKENS.bob]: { login: 'bob' } },
    users: [
      { login: 'alice', name: 'Alice', email: 'alice@example.com' },
      { login: 'bob', name: 'Bob', email: 'bob@example.com' },
    ],
    orgs: [{ login: ORGANISATION, members: { alice: 'admin', bob: 'member' }, teams: [] }],
    repos: [UPSTREAM, ...DOWNSTREAMS].map((name) => ({
      owner: ORGANISATION,
      name,
      private: true,
      collaborators: { bob: 'maintain' as const },
    })),
    app: { installations: [{ account: ORGANISATION, repositories: 'all' }] },
  };
}

/** The API as this person. */
export function as(person: Person, apiUrl: string): Octokit {
  return new Octokit({
    auth: TOKENS[person],
    baseUrl: apiUrl,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
}
