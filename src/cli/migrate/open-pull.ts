/** The pull request of a migration, opened once with a person's token. */
import { Octokit } from '@octokit/rest';

import { PorticoError } from '../../error.ts';
import type { PlannedRepository } from './plan.ts';
import { MIGRATION_BRANCH } from './stage-migration.ts';

/** Gives the address of the pull request. @throws PorticoError MIGRATION_REFUSED for what the forge refuses */
export async function openMigrationPull(
  {
    repository: { address, name },
    base,
    token,
    api,
    notes,
  }: {
    readonly repository: PlannedRepository;
    readonly base: string;
    readonly token: string;
    readonly api: string | undefined;
    readonly notes: readonly string[];
  },
  signal: AbortSignal,
): Promise<string> {
  const client = new Octokit({ auth: token, baseUrl: api ?? apiOf(address) });
  const [owner = '', repo = ''] = name.split('/');
  const request = { signal };
  try {
    const head = `${owner}:${MIGRATION_BRANCH}`;
    const { data: open } = await client.rest.pulls.list({ owner, repo, head, state: 'open', request });
    const [known] = open;
    if (known !== undefined) return known.html_url;
    const { data } = await client.rest.pulls.create({
      owner,
      repo,
      title: 'Register with Portico',
      head: MIGRATION_BRANCH,
      base,
      body: [
        'This repository was registered with a Porch server. Once this is merged, Portico takes over what is in git: tags stay revisions, branches `drafts/…` drafts, and `proposed/…` get pull requests.',
        'Stop the Porch server for this repository before you merge, so that only one of them writes to it.',
        ...(notes.length === 0 ? [] : [notes.map((note) => `- ${note}`).join('\n')]),
      ].join('\n\n'),
      request,
    });
    return data.html_url;
  } catch (cause) {
    signal.throwIfAborted();
    const status =
      typeof cause === 'object' && cause !== null && 'status' in cause ? String(cause.status) : 'no answer';
    throw new PorticoError(
      'MIGRATION_REFUSED',
      `the forge did not open the pull request of ${name} (${status})`,
      {
        blame: 'user',
        cause,
        hint: 'Check the token, or open the pull request of the branch portico/migration yourself.',
      },
    );
  }
}

/** github.com, or the place where GitHub Enterprise Server has it. */
function apiOf(address: string): string {
  const { origin, hostname } = new URL(address);
  return hostname === 'github.com' ? 'https://api.github.com' : `${origin}/api/v3`;
}
