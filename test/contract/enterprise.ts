/** GitHub Enterprise Server as it describes itself: which calls of ours a version takes. */
import { readFileSync } from 'node:fs';

import type { HttpExchange } from '@portico/localforge/exchanges';

import { described, judgeRequest } from '../../localforge/test/contract/validate.ts';
import type { Description } from '../../localforge/test/contract/validate.ts';

interface Version {
  readonly operations: Description['extract']['operations'];
  readonly schemas: Description['extract']['schemas'];
  /** For each call what github.com has and this version has not. */
  readonly lacks: Readonly<Record<string, readonly string[]>>;
}

const extract = JSON.parse(
  readFileSync(new URL('github-enterprise-openapi.json', import.meta.url), 'utf8'),
) as { readonly versions: Readonly<Record<string, Version>> };

export const versions: readonly (readonly [version: string, Version])[] = Object.entries(extract.versions);

const descriptions = versions.map(
  ([version, { operations, schemas }]) =>
    [version, described(`ghes-${version}`, { operations, schemas })] as const,
);

/** Problems of requests in each version, and how many calls were judged there. */
export function judgeForEnterprise(
  exchanges: readonly Pick<HttpExchange, 'method' | 'url' | 'requestBody'>[],
): Readonly<Record<string, { readonly judged: number; readonly problems: readonly string[] }>> {
  const outcomes = descriptions.map(([version, forge]) => {
    const problems = new Set<string>();
    let judged = 0;
    for (const { method, requestBody, url } of exchanges) {
      const answer = judgeRequest(forge, {
        method,
        path: url.pathname.replace(/^\/api\/v3(?=\/)/, ''),
        query: url.searchParams,
        requestBody: requestBody === '' ? undefined : (JSON.parse(requestBody) as unknown),
      });
      if (answer.operation !== undefined) judged += 1;
      for (const { operation, problem } of answer.problems) problems.add(`${operation}: ${problem}`);
    }
    return [version, { judged, problems: [...problems] }] as const;
  });
  return Object.fromEntries(outcomes);
}
