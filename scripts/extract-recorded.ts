/**
 * Picks, out of the replies of api.github.com that Octokit's maintainers recorded, those to calls that our client makes:
 *
 *   npm pack @octokit/fixtures@23.1.2   (unpack it), then
 *   node scripts/extract-recorded.ts FIXTURES_DIR && npm run format
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { forgeCalls } from './forge-calls.ts';

interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly response: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const [fixtures] = process.argv.slice(2);
if (fixtures === undefined) {
  process.stderr.write('usage: extract-recorded.ts FIXTURES_DIR\n');
  process.exit(64);
}
const scenarios = join(fixtures, 'scenarios', 'api.github.com');
const calls = forgeCalls().map((call) => ({ call, pattern: patternOf(call) }));
const replies = readdirSync(scenarios)
  .sort()
  .flatMap((name) => {
    const file = join(scenarios, name, 'normalized-fixture.json');
    return (JSON.parse(readFileSync(file, 'utf8')) as Recorded[]).flatMap((one) => {
      const made = `${one.method.toUpperCase()} ${one.path.replace(/\?.*$/, '')}`;
      const found = calls.find(({ pattern }) => pattern.test(made));
      if (found === undefined) return [];
      const { status, response, headers: given = {} } = one;
      // Further pages were recorded under another address than we ask.
      const headers = given['location'] === undefined ? {} : { location: given['location'] };
      return [{ scenario: name, call: found.call, status, headers, response }];
    });
  });
const source = '@octokit/fixtures 23.1.2 (MIT)';
const target = new URL('../test/contract/recorded-replies.json', import.meta.url);
writeFileSync(target, `${JSON.stringify({ source, replies })}\n`);
process.stdout.write(`${replies.length} replies\n`);

function patternOf(call: string): RegExp {
  return new RegExp(`^${call.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}
