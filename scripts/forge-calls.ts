/** Which REST operations the bot's client calls, read from its source. */
import { readdirSync, readFileSync } from 'node:fs';

import { Octokit } from '@octokit/rest';

const CLIENT = new URL('../src/forge/', import.meta.url);

/** `repos.get`, `apps.getInstallation`, … wherever one is named. */
const CALL = /\b(apps|checks|git|issues|orgs|pulls|reactions|repos|teams|users)\.([a-zA-Z]+)\b/g;
const PLAIN = /\.request\(\s*'((?:GET|POST|PATCH|PUT|DELETE) \/[^']+)'/g;

/** As `METHOD /path`, sorted. */
export function forgeCalls(): readonly string[] {
  const octokit = new Octokit();
  const found = new Set<string>();
  for (const file of readdirSync(CLIENT)) {
    const source = readFileSync(new URL(file, CLIENT), 'utf8');
    for (const [, plain = ''] of source.matchAll(PLAIN)) found.add(plain);
    for (const [, scope = '', name = ''] of source.matchAll(CALL)) {
      const method = (octokit.rest as unknown as Record<string, Record<string, Method | undefined>>)[scope]?.[
        name
      ];
      if (method === undefined) continue;
      const { method: verb, url } = method.endpoint.DEFAULTS;
      found.add(`${verb} ${url}`);
    }
  }
  return [...found].sort();
}

interface Method {
  readonly endpoint: { readonly DEFAULTS: { readonly method: string; readonly url: string } };
}
