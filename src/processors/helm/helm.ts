/** The processor `helm`: a chart and values files → the objects that Helm makes of them. */

import type { Refusal } from '../../error.ts';
import type { Tree } from '../../package/tree-digest.ts';
import { shorten } from '../../text/cut-text.ts';
import type { ProcessorOf } from '../processor-spec.ts';
import { refuse, type Produced } from '../processor-step.ts';
import { objectsOf, objectTree, type RenderedObject } from '../rendered-objects.ts';
import { runTool, stage, toolFor, type Staged, type ToolOptions } from '../run-tool.ts';
import { listedTarget, type TargetProfile } from '../target-profile.ts';
import type { Tool } from '../tool.ts';
import { chartNotes, readChart, remoteSchemas, type Chart } from './chart.ts';
import { sortHooks, type WithoutHooks } from './hooks.ts';
import { difference, onAnotherDay } from './stability.ts';

type HelmProcessor = ProcessorOf<'helm'>;

interface Rendering extends WithoutHooks {
  readonly warnings: readonly string[];
}

/** Lines of Helm's messages that become warnings. */
const MAX_NOTES = 20;
const TIME_HINT = 'Give the time yourself in a values file, or leave the template out.';

/** A chart's objects as Helm makes them, and by which Helm. */
interface RenderedChart {
  readonly objects: readonly RenderedObject[];
  readonly tool: string;
  readonly version?: string;
  readonly notes: readonly string[];
}

/** One file for each object of a chart. */
export async function runHelm(...chart: Parameters<typeof renderChart>): Promise<Produced> {
  const made = await renderChart(...chart);
  if ('refused' in made) return made;
  const { objects, ...rest } = made;
  const files = objectTree(objects);
  return 'refused' in files ? files : { files: files.files, ...rest };
}

/** Renders a chart twice, and refuses it where the two differ. Nothing is fetched, and no cluster is asked. */
export async function renderChart(
  tree: Tree,
  processor: HelmProcessor,
  targets: readonly TargetProfile[],
  options: ToolOptions,
): Promise<RenderedChart | { readonly refused: Refusal }> {
  const read = readChart(tree, processor.chart);
  if ('refused' in read) return read;
  const { chart } = read;
  const profile = listedTarget(processor.target, targets);
  if (profile !== undefined && 'refused' in profile) return profile;
  const missing = processor.values.find((path) => !tree.has(path));
  if (missing !== undefined) {
    return refuse(
      'VALUES_MISSING',
      `there is no ${missing}`,
      'Values files must be in the package: add the file, or fix its name.',
    );
  }
  const found = await toolFor('helm', processor.tool, options);
  if ('refused' in found) return found;
  const { tool } = found;

  const shifted = onAnotherDay(chart.searched);
  const layout = stagedFiles(tree, processor, chart, shifted);
  const made = await stage(layout, options);
  if ('refused' in made) return made;
  await using staged = made.staged;
  const withoutSchemas = remoteSchemas(chart).length > 0 ? ['--skip-schema-validation'] : [];
  const render = async (directory: string): Promise<Rendering | { readonly refused: Refusal }> => {
    const args = [...templateArgs(directory, processor, profile?.profile), ...withoutSchemas];
    const printed = await print(tool, args, staged, options);
    if ('refused' in printed) return printed;
    const objects = objectsOf(printed.stdout, processor.chart);
    if ('refused' in objects) return objects;
    return { ...sortHooks(objects.objects, processor.hooks), warnings: printed.warnings };
  };
  const first = await render('chart');
  if ('refused' in first) return first;
  const second = await render('chart');
  if ('refused' in second) return second;
  const unstable = difference(first, second, 'it was rendered twice');
  if (unstable !== undefined) return { refused: unstable };
  if (shifted !== undefined) {
    const third = await render('another-day');
    if ('refused' in third) {
      const why = third.refused.message;
      return refuse(
        'CHART_UNSTABLE',
        `the chart asks for the time, and fails on another day: ${why}`,
        TIME_HINT,
      );
    }
    const dated = difference(first, third, 'it asks for the time');
    if (dated !== undefined) return { refused: dated };
  }
  if (first.objects.length === 0) {
    return refuse(
      'CHART_EMPTY',
      `${processor.chart} renders no resources with these values`,
      'Fix the values.',
    );
  }
  const version = await versionOf(tool, staged, options);
  return {
    objects: first.objects,
    tool: `helm@${tool.digest}`,
    ...(version !== undefined && { version }),
    notes: [...first.notes, ...chartNotes(chart), ...first.warnings],
  };
}

function stagedFiles(tree: Tree, { values }: HelmProcessor, chart: Chart, shifted: Tree | undefined): Tree {
  const files = new Map<string, Uint8Array>();
  for (const [path, bytes] of chart.files) files.set(`chart/${path}`, bytes);
  for (const [path, bytes] of shifted ?? []) files.set(`another-day/${path}`, bytes);
  values.forEach((path, at) => files.set(`values/${at}.yaml`, tree.get(path) ?? new Uint8Array()));
  return files;
}

function templateArgs(
  directory: string,
  processor: HelmProcessor,
  profile: TargetProfile | undefined,
): readonly string[] {
  const kubeVersion = processor.kubeVersion ?? profile?.kubeVersion;
  const apis = [...new Set([...processor.apiVersions, ...(profile?.apis ?? [])])];
  return [
    'template',
    processor.release,
    `./${directory}`,
    `--namespace=${processor.namespace}`,
    '--include-crds',
    ...processor.values.map((_path, at) => `--values=values/${at}.yaml`),
    ...(kubeVersion === undefined ? [] : [`--kube-version=${kubeVersion}`]),
    ...apis.map((api) => `--api-versions=${api}`),
  ];
}

async function print(
  tool: Tool,
  args: readonly string[],
  staged: Staged,
  options: ToolOptions,
): Promise<
  { readonly stdout: string; readonly warnings: readonly string[] } | { readonly refused: Refusal }
> {
  const ran = await runTool(tool, args, staged, options);
  if ('refused' in ran) return ran;
  const stderr = staged
    .clean(ran.stderr)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (ran.exitCode !== 0) {
    const message = stderr
      .join(' ')
      .replace(/^Error: /, '')
      .replace(/\s*Use --debug flag.*$/, '');
    const why = message === '' ? `it ended with ${ran.exitCode}` : shorten(message, 2_000);
    return refuse('HELM_FAILED', `Helm could not render the chart: ${why}`, 'Fix the values or the chart.');
  }
  const warnings = stderr.slice(0, MAX_NOTES).map((line) => `Helm says: ${shorten(line, 500)}`);
  const unconfined = ran.unconfined === undefined ? [] : [ran.unconfined];
  return { stdout: ran.stdout, warnings: [...unconfined, ...warnings] };
}

/** By digest: a tool says the same each time. */
const versions = new Map<string, string>();

async function versionOf(tool: Tool, staged: Staged, options: ToolOptions): Promise<string | undefined> {
  const known = versions.get(tool.digest);
  if (known !== undefined) return known;
  const ran = await runTool(tool, ['version', '--template={{.Version}}'], staged, options);
  if ('refused' in ran || !/^v[\w.+-]{1,60}$/.test(ran.stdout.trim())) return undefined;
  versions.set(tool.digest, ran.stdout.trim());
  return ran.stdout.trim();
}
