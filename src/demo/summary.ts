import type { Terminal } from '../cli/terminal.ts';
import { columns } from '../cli/text-table.ts';
import { as, DOWNSTREAMS, ORGANISATION, UPSTREAM } from './cast.ts';
import type { Section } from './narrator.ts';

export interface Summary {
  readonly ok: boolean;
  readonly steps: readonly Section[];
  readonly repositories: readonly {
    readonly name: string;
    readonly tags: readonly string[];
    readonly pulls: readonly {
      readonly number: number;
      readonly title: string;
      readonly state: string;
      readonly checks: string;
    }[];
  }[];
}

/** What stands on the forge at the end, read through its API. */
export async function summarise(apiUrl: string, steps: readonly Section[]): Promise<Summary> {
  const alice = as('alice', apiUrl);
  const repositories = [];
  for (const repo of [UPSTREAM, ...DOWNSTREAMS]) {
    const there = { owner: ORGANISATION, repo };
    const { data: tags } = await alice.rest.git.listMatchingRefs({ ...there, ref: 'tags/' });
    const { data: pulls } = await alice.rest.pulls.list({ ...there, state: 'all' });
    repositories.push({
      name: repo,
      tags: tags.map(({ ref }) => ref.replace('refs/tags/', '')),
      pulls: await Promise.all(
        pulls.map(async ({ number, title, state, merged_at, head }) => {
          const { data } = await alice.rest.checks.listForRef({ ...there, ref: head.sha });
          const passed = data.check_runs.filter(({ conclusion }) => conclusion === 'success').length;
          const checks = `${passed} of ${data.check_runs.length}`;
          return { number, title, state: merged_at === null ? state : 'merged', checks };
        }),
      ),
    });
  }
  return { ok: steps.every(({ ok }) => ok), steps, repositories };
}

export function printSummary(terminal: Terminal, { repositories, steps }: Summary): void {
  const rows = repositories.flatMap(({ name, tags, pulls }) => [
    ...pulls.map((pull) => [name, `#${pull.number} ${pull.title}`, pull.state, pull.checks]),
    [name, `tags: ${shortList(tags)}`, '', ''],
  ]);
  const header = ['repository', 'what', 'state', 'checks passed'];
  const [first = '', ...lines] = columns([header, ...rows]);
  terminal.print('');
  terminal.print(terminal.style('bold', first));
  for (const line of lines) terminal.print(line);
  const failed = steps.filter(({ ok }) => !ok).length;
  terminal.print(`\n${steps.length - failed} of ${steps.length} steps happened.`);
}

function shortList(names: readonly string[], most = 8): string {
  return names.length <= most
    ? names.join(', ')
    : `${names.slice(0, most).join(', ')} and ${names.length - most} more`;
}
