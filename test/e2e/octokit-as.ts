import { Octokit } from '@octokit/rest';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

/** The stock client with a token, without its log of every 404. */
export function octokitAs(baseUrl: string, auth: string): Octokit {
  return new Octokit({ auth, baseUrl, log: QUIET });
}
