import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { OWNER, publishV2, startDownstream } from '../bench/downstream.ts';
import { workspace } from '../bench/workspace.ts';
import { openCounting, watchPulls, type Round } from './counting.ts';

/** Finds `ref: web/v1` in a Kptfile, and takes the tags of the repository beside it for its versions. */
const PIN = {
  customType: 'regex',
  managerFilePatterns: ['/(^|/)Kptfile$/'],
  matchStrings: [
    'upstream:\\s+type: git\\s+git:\\s+repo: (?<packageName>\\S+)\\s+directory: \\S+\\s+ref: (?<currentValue>\\S+)',
  ],
  datasourceTemplate: 'git-tags',
  versioningTemplate: 'regex:^(?<compatibility>web/)v(?<major>\\d+)$',
};

/** Renovate as people run it from a schedule: once with nothing to do, once after the tag, and once more. */
export async function playRenovate(options: {
  readonly repositories: number;
  /** Where `node_modules/renovate` is. */
  readonly directory: string;
  readonly say: (text: string) => void;
}): Promise<Round[]> {
  using place = workspace();
  await using forge = await startDownstream(place, options.repositories, 1);
  await using counting = await openCounting(forge);
  const root = place.path('renovate');
  mkdirSync(root);
  const token = 'alice-token';
  const configuration = join(root, 'config.json');
  writeFileSync(
    configuration,
    JSON.stringify({
      platform: 'github',
      endpoint: `${counting.proxy.url}/api/v3/`,
      token,
      gitAuthor: 'Renovate <renovate@example.com>',
      repositories: Array.from({ length: options.repositories }, (_, at) => `${OWNER}/down-${at}`),
      onboarding: false,
      requireConfig: 'optional',
      dependencyDashboard: false,
      enabledManagers: ['custom.regex'],
      customManagers: [PIN],
      prHourlyLimit: 0,
      prConcurrentLimit: 0,
      branchConcurrentLimit: 0,
      hostRules: [{ matchHost: forge.url, token }],
      baseDir: join(root, 'base'),
      cacheDir: join(root, 'cache'),
      detectHostRulesFromEnv: false,
      persistRepoData: true,
    }),
  );
  const run = async (): Promise<void> => {
    const program = join(resolve(options.directory), 'node_modules/renovate/dist/renovate.js');
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: root,
      LOG_LEVEL: 'warn',
      RENOVATE_CONFIG_FILE: configuration,
      RENOVATE_REPOSITORY_CACHE: 'enabled',
      // Its native regular expressions are not needed for one pattern.
      RENOVATE_X_IGNORE_RE2: 'true',
    } as NodeJS.ProcessEnv;
    const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 2, 2] });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`renovate ended with ${code}`);
  };
  const round = (what: string): Promise<Round> =>
    counting.round({ who: 'renovate', what }, async () => {
      options.say(`renovate: ${what}`);
      const pulls = watchPulls(forge, Infinity);
      const before = pulls.last();
      // It remembers tags for minutes; the tag of this comparison is seconds old.
      rmSync(join(root, 'cache', 'renovate', 'renovate-cache-v1'), { recursive: true, force: true });
      const began = performance.now();
      await run();
      pulls.off();
      return ((pulls.last() === before ? performance.now() : pulls.last()) - began) / 1000;
    });
  const first = await round('first look');
  await publishV2(forge.apiUrl);
  return [first, await round('update'), await round('nothing new, run again')];
}
