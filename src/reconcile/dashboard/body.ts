/** Pure: what the dashboard issue of a repository says. The same state gives the same text, so that it costs no write. */
import { repositoryName, type Catalog } from '../../catalog/catalog.ts';
import type { Standing } from '../../catalog/last-looks.ts';
import { MAX_EXEMPT_DAYS, SOON_DAYS } from '../../config/exemptions.ts';
import { packagePathOf } from '../../revision/package-path.ts';
import { upstreamText } from '../../text/revision-text.ts';
import type { PlannedVariant } from '../downstream/variant-plan.ts';
import { code, foreignSentence } from '../text/markdown-blocks.ts';
import { channelsPart } from './channels.ts';
import type { DashboardInput, StandingExemption, StandingVariant } from './input.ts';
import { draftsPart, packagesPart } from './packages.ts';
import { section, SETTLED } from './section.ts';

/** The whole body; null where there is nothing that anybody could want to know. */
export function dashboardBody(input: DashboardInput): string | null {
  const parts = [
    problemsPart(input),
    unsealedPart(input),
    exemptionsPart(input),
    input.limit,
    draftsPart(input),
    updatesPart(input),
    input.direct,
    variantsPart(input),
    input.rollouts,
    channelsPart(input),
    packagesPart(input),
  ];
  if (parts.every((part) => part === '')) return null;
  return [
    'Portico keeps this issue up to date with the state of this repository. Close it to stop the updates, and reopen it to resume them. Commands work here too; see `/portico help`.',
    ...parts.filter((part) => part !== ''),
  ].join('\n\n');
}

function problemsPart({ problems }: DashboardInput): string {
  if (problems.length === 0) return '';
  const rows = problems.map(({ file, line, message, hint }) => [
    code(`${file}:${line}`),
    foreignSentence(message),
    foreignSentence(hint),
  ]);
  return section('Errors in the configuration', ['where', 'problem', 'how to fix it'], rows);
}

/** What each is worth: nobody is to learn from a failing check that one has ended. */
const EXEMPTION_STATES: Readonly<Record<StandingExemption['state'], string>> = {
  'in-force': 'in force',
  'ends-soon': `**ends within ${SOON_DAYS} days**: fix what it is about, or propose another day`,
  expired: '**expired, counts no more**: remove the document',
  'too-long': `**does not count**: it ends more than ${MAX_EXEMPT_DAYS} days from now`,
};

function exemptionsPart({ exemptions }: DashboardInput): string {
  if (exemptions.length === 0) return '';
  const rows = exemptions
    .toSorted((a, b) => (a.exemption.until < b.exemption.until ? -1 : 1))
    .map(({ exemption: { name, guardrails, packages, until, owner, why }, state }) => [
      code(name),
      guardrails.map(code).join(', '),
      packages.map(code).join(', '),
      until,
      EXEMPTION_STATES[state],
      code(owner),
      foreignSentence(why),
    ]);
  const heads = ['exemption', 'guardrails', 'packages', 'until', 'state', 'owner', 'why'];
  return section('Exemptions from guardrails', heads, rows);
}

/** Made by hand, or by a version of Portico that did not seal them. */
function unsealedPart({ unsealed }: DashboardInput): string {
  if (unsealed.length === 0) return '';
  const rows = unsealed.map((ref) => [
    code(ref),
    ref.startsWith('refs/portico/paused/')
      ? 'run `/portico pause` for the package again, or `/portico resume`'
      : 'run `/portico rollout stop`, `resume`, `skip` or `rollback` again',
  ]);
  return `${section('Ignored refs', ['ref', 'how to fix it'], rows)}\n\nPortico did not write these refs, so they have no effect. Until they are replaced or deleted, the updates that they concern do not merge automatically.`;
}

/** Updates that a tick brings, whatever held them back. */
const TICKABLE: readonly string[] = ['not-scheduled', 'too-young', 'limit', 'declined'];

/**
 * The updates that are due, by package. One that may not come, of a package that is not there, is not told of: only a
 * document that fewer people can read asks for it.
 */
export function dueUpdates({
  repository: { directory, packages },
  standings,
}: Pick<DashboardInput, 'repository' | 'standings'>): (readonly [string, Standing])[] {
  const present = new Set(packages.map((one) => packagePathOf(directory, one.directory) ?? one.directory));
  return [...standings]
    .filter(([, { reason }]) => !SETTLED.includes(reason))
    .filter(([path, { reason }]) => reason !== 'blocked-visibility' || present.has(path))
    .toSorted(byName);
}

function updatesPart(input: DashboardInput): string {
  const due = dueUpdates(input);
  if (due.length === 0) return '';
  const rows = due.map(([path, { reason, message, from, to, pull }]) => [
    code(path),
    to === undefined ? '' : upstreamText({ from, to }, code),
    stateOf(reason, pull ?? input.updates.get(path), input.conflicting),
    foreignSentence(message),
  ]);
  const boxes = due
    .filter(([, { reason }]) => TICKABLE.includes(reason))
    .map(([path]) => `- [ ] update now ${code(path)}`);
  return [
    section('Updates', ['package', 'revision', 'state', 'why'], rows),
    ...(boxes.length === 0 ? [] : [boxes.join('\n')]),
  ].join('\n\n');
}

/** What is held back may have a pull request all the same, which goes on as it is. */
function stateOf(reason: string, number: number | undefined, conflicting: ReadonlySet<number>): string {
  if (number === undefined) return code(reason);
  const pull = `#${number}${conflicting.has(number) ? ', **open conflicts**' : ''}`;
  return reason === 'proposed' ? pull : `${code(reason)}, ${pull}`;
}

function variantsPart({ variants, stalled }: DashboardInput): string {
  if (variants.length + stalled.length === 0) return '';
  const rows = [
    ...stalled.map(({ namespace, name, file, line, reason, message }) => [
      code(`${namespace}/${name}`),
      code(`${file}:${line}`),
      `Stalled: ${reason}`,
      foreignSentence(message),
    ]),
    ...variants.map(({ planned, standing }) => {
      const { repository, path } = planned.downstream;
      const { condition, message } = conditionOf(standing);
      return [
        code(`${planned.namespace}/${planned.name}`),
        code(`${repositoryName(repository)}:${path}`),
        condition,
        foreignSentence(message),
      ];
    }),
  ];
  return section('Variants', ['variant', 'where', 'condition', 'why'], rows);
}

export function withStanding(catalog: Catalog, planned: PlannedVariant): StandingVariant {
  const { repository, path } = planned.downstream;
  return { planned, standing: catalog.standings(repository.ref.id).get(path) };
}

/** Porch's two conditions in one word: Stalled where its document cannot be followed, else whether it is Ready. */
export function conditionOf(standing: Standing | undefined): {
  readonly condition: string;
  readonly message: string;
} {
  if (standing === undefined) return { condition: 'Unknown', message: 'not checked yet' };
  const { reason, message, pull } = standing;
  if (reason === 'up-to-date' || reason === 'merged') return { condition: 'Ready', message: '' };
  if (reason === 'proposed') return { condition: `Ready: proposed`, message: `pull request ${pull}` };
  return { condition: `not Ready: ${reason}`, message };
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** Packages whose box somebody ticked. */
export function tickedPackages(body: string): string[] {
  return [...body.matchAll(/^- \[[xX]\] update now `([^`\r\n]{1,500})`\s*$/gm)].map(([, path = '']) => path);
}
