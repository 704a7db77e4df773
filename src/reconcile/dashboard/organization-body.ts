/** Pure: what the issue about all repositories of an owner says. The same state gives the same text. */

import { repositoryName } from '../../catalog/catalog.ts';
import type { CatalogRepository } from '../../catalog/catalog.ts';
import type { Standing } from '../../catalog/last-looks.ts';
import { packagePathOf } from '../../revision/package-path.ts';
import { compareText } from '../../text/compare-text.ts';
import { counted, isOrAre } from '../../text/counted.ts';
import { upstreamText } from '../../text/revision-text.ts';
import type { StalledVariant } from '../downstream/variant-plan.ts';
import { rolloutPart } from '../rollout/body.ts';
import type { RolloutLook } from '../rollout/rollouts.ts';
import { code } from '../text/markdown-blocks.ts';
import { conditionOf, dueUpdates } from './body.ts';
import type { StandingVariant } from './input.ts';
import { outermost, section } from './section.ts';

export const ORGANIZATION_TITLE = 'Portico dashboard of the organisation';

/** Nothing but repositories that may be named: whoever reads the issue may read them. */
export interface OrganizationInput {
  readonly owner: string;
  readonly repositories: readonly {
    readonly repository: CatalogRepository;
    readonly standings: ReadonlyMap<string, Standing>;
  }[];
  /** Repositories that are not named; undefined: nobody is told whether there are any. */
  readonly others: number | undefined;
  readonly variants: readonly StandingVariant[];
  readonly stalled: readonly StalledVariant[];
  /** What waits for the limits of the forge, see limit-part.ts. */
  readonly limit: string;
  readonly rollouts: readonly RolloutLook[];
}

/**
 * The whole body. Messages of single packages are left to the repositories' own issues: they may speak of what not
 * everybody here can read.
 */
export function organizationBody(input: OrganizationInput): string {
  const parts = [summaryPart(input), input.limit, updatesPart(input), variantsPart(input)];
  const rest = [rolloutPart(input.rollouts), repositoriesPart(input)];
  return [
    `Portico keeps this issue up to date with the state of the repositories of ${code(input.owner)}. Close it to stop the updates, and reopen it to resume them. To request package updates or see details, use the dashboard of each repository.`,
    ...[...parts, ...rest].filter((part) => part !== ''),
  ].join('\n\n');
}

interface DueRow {
  readonly name: string;
  readonly standing: Standing;
}

function dueOf({ repositories }: OrganizationInput): DueRow[] {
  return repositories
    .flatMap((one) =>
      dueUpdates(one).map(([path, standing]) => ({
        name: `${repositoryName(one.repository)}:${path}`,
        standing,
      })),
    )
    .toSorted((a, b) => compareText(a.standing.reason, b.standing.reason) || compareText(a.name, b.name));
}

function summaryPart(input: OrganizationInput): string {
  const { repositories, others } = input;
  const counts = new Map<string, number>();
  for (const { standing } of dueOf(input)) {
    counts.set(standing.reason, (counts.get(standing.reason) ?? 0) + 1);
  }
  const packages = repositories.reduce((sum, { repository }) => sum + topPackages(repository).length, 0);
  const due = [...counts].map(([reason, count]) => `${count} ${code(reason)}`).join(', ');
  const hidden =
    others === undefined || others === 0
      ? ''
      : ` ${others} more ${isOrAre(others)} not listed here, because not everyone who can read this issue can read them. To list a repository, set ${code('organization: { listed: true }')} in its configuration or in the organisation's.`;
  return `${counted(repositories.length, 'repository', 'repositories')}, ${counted(packages, 'package')}. Updates: ${due === '' ? 'none due' : due}.${hidden}`;
}

function updatesPart(input: OrganizationInput): string {
  const rows = dueOf(input).map(({ name, standing: { reason, from, to, pull } }) => [
    code(name),
    to === undefined ? '' : upstreamText({ from, to }, code),
    // In code: a link would leave a note in every one of these pull requests.
    pull === undefined
      ? code(reason)
      : `${reason === 'proposed' ? reason : code(reason)} in ${code(`#${pull}`)}`,
  ]);
  return rows.length === 0 ? '' : section('Updates', ['package', 'revision', 'state'], rows);
}

function variantsPart({ variants, stalled }: OrganizationInput): string {
  const rows = [
    ...stalled.map(({ control, file, line, namespace, name, reason }) => [
      code(`${namespace}/${name}`),
      code(`${repositoryName(control)}:${file}:${line}`),
      `Stalled: ${reason}`,
    ]),
    ...variants.flatMap(({ planned, standing }) => {
      const { condition } = conditionOf(standing);
      if (condition === 'Ready') return [];
      const { repository, path } = planned.downstream;
      return [
        [
          code(`${planned.namespace}/${planned.name}`),
          code(`${repositoryName(repository)}:${path}`),
          condition,
        ],
      ];
    }),
  ];
  const ready = variants.filter(({ standing }) => conditionOf(standing).condition === 'Ready').length;
  if (rows.length === 0) return ready === 0 ? '' : `### Variants\n\nAll ${ready} are Ready.`;
  return `${section('Variants', ['variant', 'where', 'condition'], rows)}\n\n${ready} are Ready.`;
}

function repositoriesPart({ repositories }: OrganizationInput): string {
  const rows = repositories
    .toSorted((a, b) => compareText(repositoryName(a.repository), repositoryName(b.repository)))
    .map(({ repository, standings }) => {
      const due = dueUpdates({ repository, standings });
      const proposed = due.filter(([, { reason }]) => reason === 'proposed').length;
      const packages = topPackages(repository);
      const drafts = packages.filter(({ directory }) => !repository.revisions.has(directory)).length;
      const [, page = ''] = repository.urls;
      return [
        `[${code(repositoryName(repository))}](${page})`,
        String(packages.length),
        shown(drafts),
        shown(proposed),
        shown(due.length - proposed),
        shown(mistakesOf(repository)),
      ];
    });
  return section(
    'Repositories',
    [
      'repository',
      'packages',
      'not published',
      'updates proposed',
      'updates waiting',
      'configuration errors',
    ],
    rows,
  );
}

function mistakesOf({ mistakes = 0, documents, inventory }: CatalogRepository): number {
  const files = [...documents, ...inventory].reduce(
    (sum, file) =>
      sum + file.problems.length + file.documents.filter(({ kind }) => kind === 'refused').length,
    0,
  );
  return mistakes + files;
}

function topPackages({ directory, packages }: CatalogRepository): CatalogRepository['packages'] {
  return outermost(packages).filter((one) => packagePathOf(directory, one.directory) !== undefined);
}

function shown(count: number): string {
  return count === 0 ? '' : String(count);
}
