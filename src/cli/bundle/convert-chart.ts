import { readFileSync } from 'node:fs';

import type { Conversion } from '../../bundle/conversion.ts';
import { convertHelm, readHelmChart, type HelmChart } from '../../bundle/helm-chart.ts';
import { withoutTwins } from '../../bundle/object-order.ts';
import { PorticoError } from '../../error.ts';
import type { PackageFiles } from '../../package/package.ts';
import { asTree } from '../../package/tree-digest.ts';
import { renderChart } from '../../processors/helm/helm.ts';
import { processorsSchema } from '../../processors/processor-spec.ts';
import { usageError } from '../exit-code.ts';
import { reasonOf } from '../system-error.ts';
import type { Call } from '../verb.ts';

/** A chart as objects: by Helm where it has actions, dependencies or values, and as it is where Helm would add nothing. */
export async function convertChart(call: Call, files: PackageFiles): Promise<Conversion> {
  const read = readHelmChart(files);
  if ('problems' in read) return { refused: read.problems.map(({ message }) => message) };
  const chart = read.value;
  const asked = ['values', 'release', 'install-namespace'].some((option) => call.has(option));
  return chart.needsHelm.length === 0 && !asked ? convertHelm(chart) : withHelm(call, files, chart);
}

async function withHelm(call: Call, files: PackageFiles, chart: HelmChart): Promise<Conversion> {
  const tree = new Map(
    [...asTree(files)].map(([path, bytes]): [string, Uint8Array] => [`chart/${path}`, bytes]),
  );
  const values = call.list('values').map((typed, at) => {
    tree.set(`values/${at}.yaml`, readValues(call, typed));
    return `values/${at}.yaml`;
  });
  const release = call.text('release') ?? chart.name;
  const namespace = call.text('install-namespace');
  const processor = { chart: 'chart', values, release, ...(namespace !== undefined && { namespace }) };
  const parsed = processorsSchema.safeParse([{ helm: processor }]);
  const [one] = parsed.data ?? [];
  if (one?.kind !== 'helm') {
    throw usageError(
      parsed.error?.issues[0]?.message ?? 'the options are wrong',
      'See: portico bundle --help',
    );
  }
  const made = await renderChart(tree, one, [], { signal: call.signal });
  if ('refused' in made) {
    const { code, message, hint } = made.refused;
    const needs = chart.needsHelm.map((reason) => `the chart needs Helm: ${reason}`);
    return code === 'TOOL_MISSING' ? { refused: [...needs, `${message}. ${hint}`] } : { refused: [message] };
  }
  const { objects, twins } = withoutTwins(made.objects.map(({ value }) => value));
  if (twins.length > 0) return { refused: twins.map((twin) => `two different objects would be ${twin}`) };
  return { objects, notes: made.notes };
}

function readValues(call: Call, typed: string): Uint8Array {
  try {
    return readFileSync(call.path(typed));
  } catch (cause) {
    throw new PorticoError('VALUES_UNREADABLE', `${typed} cannot be read: ${reasonOf(cause)}`, {
      blame: 'user',
      cause,
      hint: 'Name a YAML file.',
    });
  }
}
