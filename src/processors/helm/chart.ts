/** A chart as Helm is given it, and what of it can be told without running Helm. */
import { mapsAt, textAt, type Fields } from '../../bundle/manifest.ts';
import { PorticoError, type Refusal } from '../../error.ts';
import { isMap } from '../../fbc/go-fields.ts';
import { filesBelow } from '../../package/package.ts';
import { decodeText } from '../../package/render/read-resources.ts';
import type { Tree } from '../../package/tree-digest.ts';
import { readYaml } from '../../package/yaml/edit.ts';
import { refuse } from '../processor-step.ts';
import { withPackedCharts } from './packed-charts.ts';
import { templateCalls } from './template-calls.ts';

export interface Chart {
  readonly name: string;
  /** With paths from the chart's own directory. */
  readonly files: Tree;
  /** The same with packed charts unpacked: what is searched for questions that nobody answers here. */
  readonly searched: Tree;
}

/** The chart of a directory, or of the one directory in it, as archives of charts have it. */
export function readChart(
  tree: Tree,
  directory: string,
): { readonly chart: Chart } | { readonly refused: Refusal } {
  const here = filesBelow(tree, directory);
  const inner = new Set([...here.keys()].map((path) => path.split('/')[0] ?? ''));
  const [only = ''] = inner;
  const files = !here.has('Chart.yaml') && inner.size === 1 ? filesBelow(here, only) : here;
  const metadata = files.get('Chart.yaml');
  if (metadata === undefined) {
    const reason = tree.has(directory) ? `${directory} is a file` : `${directory} has no Chart.yaml`;
    return refuse('CHART_MISSING', reason, 'Name the unpacked directory of a chart.');
  }
  const unpacked = withPackedCharts(files);
  if ('refused' in unpacked) return unpacked;
  const searched = unpacked.files;
  try {
    const [value] = readYaml(decodeText(`${directory}/Chart.yaml`, metadata));
    if (value === undefined || !isMap(value))
      throw new PorticoError('CHART_INVALID', 'it is not a map', { blame: 'user' });
    const missing = missingDependencies(searched, mapsAt(value, 'dependencies'));
    if (missing.length > 0) {
      const message = `${directory}: the chart depends on ${missing.join(', ')}, which is not in its directory charts`;
      const hint =
        'Nothing is fetched while a chart is rendered: name each as a source whose destination is in charts/, or ' +
        'vendor them with `helm dependency build`.';
      return refuse('CHART_DEPENDENCIES', message, hint);
    }
    return { chart: { name: textAt(value, 'name'), files, searched } };
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error;
    return refuse('CHART_INVALID', `${directory}/Chart.yaml: ${error.message}`, 'Fix the chart.');
  }
}

/** Those that are in no directory of charts. */
function missingDependencies(files: Tree, dependencies: readonly Fields[]): readonly string[] {
  const held = [...files.keys()].filter((path) => path.startsWith('charts/'));
  const names = dependencies.map((dependency) => textAt(dependency, 'name')).filter((name) => name !== '');
  return names.filter(
    (name) =>
      !held.some((path) => path.startsWith(`charts/${name}/`)) &&
      !held.some(
        (path) => path.startsWith('charts/') && path.endsWith('/Chart.yaml') && nameIn(files, path) === name,
      ),
  );
}

/** A dependency may lie in a directory of any name. */
function nameIn(files: Tree, path: string): string {
  try {
    const [value] = readYaml(decodeText(path, files.get(path) ?? new Uint8Array()));
    return value !== undefined && isMap(value) ? textAt(value, 'name') : '';
  } catch {
    return '';
  }
}

/** Functions that answer otherwise when rendered here than in a cluster, or not the same each time. */
const ASKS: Readonly<Record<string, string>> = {
  lookup: 'asks the cluster (lookup); nothing answers here, so it is rendered as for a first installation',
  getHostByName: 'asks for an address (getHostByName); nothing answers here',
};

/** What the templates ask that nobody answers here, told once for each template and function. */
export function chartNotes(chart: Chart): readonly string[] {
  const notes: string[] = [];
  for (const [path, text] of templatesOf(chart.searched)) {
    const names = new Set(templateCalls(text).map(({ name }) => name));
    for (const [name, says] of Object.entries(ASKS)) if (names.has(name)) notes.push(`${path} ${says}`);
  }
  for (const path of remoteSchemas(chart)) {
    notes.push(`${path} refers to addresses, which are not fetched: the values are not validated`);
  }
  return notes;
}

/**
 * The schemas of values that refer to addresses, which Helm would fetch: without network it could render nothing, so that such
 * a chart is rendered without its schemas.
 */
export function remoteSchemas({ searched }: Chart): readonly string[] {
  const decoder = new TextDecoder();
  return [...searched]
    .filter(([path]) => /^(?:charts\/[^/]+\/)*values\.schema\.json$/.test(path))
    .filter(([, bytes]) => /"\$ref"\s*:\s*"[a-z][a-z0-9+.-]*:/i.test(decoder.decode(bytes)))
    .map(([path]) => path);
}

/** The templates of a chart and of the charts in it, as text. */
export function templatesOf(files: Tree): readonly (readonly [path: string, text: string])[] {
  const decoder = new TextDecoder();
  return [...files]
    .filter(([path]) => /^(?:charts\/[^/]+\/)*templates\//.test(path))
    .map(([path, bytes]) => [path, decoder.decode(bytes)] as const);
}
