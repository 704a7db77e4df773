/**
 * Templates of charts that processors render: no cluster is meant to have them, and what they grant is judged as it is rendered.
 */
import type { PackageFiles } from '../package/package.ts';
import type { PowerDiff } from '../package/power/power-types.ts';
import type { ComparedSides } from '../reconcile/content-port.ts';
import { fetchedInputsIn } from './sync-sources.ts';

/**
 * The difference without the templates among what could not be read. Only directories count that both states fill from elsewhere and
 * give to a processor: a proposal that begins to say so hides nothing by that.
 */
export function withoutTemplates(
  power: PowerDiff,
  { before, after, links }: Pick<ComparedSides, 'before' | 'after' | 'links'>,
): PowerDiff {
  const linked = new Set(links?.after.map(({ path }) => path));
  const known = new Set(fetchedInputsIn(before));
  const charts = fetchedInputsIn(after).filter((directory) => known.has(directory));
  const isTemplate = (path: string): boolean =>
    !linked.has(path) &&
    charts.some((directory) => path.startsWith(`${directory}/`)) &&
    isOfChart(path, [before, after]);
  return { ...power, unread: power.unread.filter((path) => !isTemplate(path)) };
}

/** Whether it is below `templates` of a directory with a `Chart.yaml`, in any of these states. */
function isOfChart(path: string, states: readonly PackageFiles[]): boolean {
  const parts = path.split('/');
  return parts.some((part, at) => {
    if (part !== 'templates') return false;
    const chart = [...parts.slice(0, at), 'Chart.yaml'].join('/');
    return states.some((files) => files.has(chart));
  });
}
