/** A helm+v3 bundle, as far as it can be read without Helm: a chart whose templates are manifests already. */
import { isMap } from '../fbc/go-fields.ts';
import { parseVersion } from '../fbc/version.ts';
import type { PackageFiles } from '../package/package.ts';
import { decodeText } from '../package/render/read-resources.ts';
import type { Conversion } from './conversion.ts';
import {
  kindOf,
  listAt,
  mapAt,
  nameOf,
  textAt,
  type Fields,
  type Manifest,
  type Problem,
} from './manifest.ts';
import { withoutTwins } from './object-order.ts';
import { readManifests, readValue } from './read-manifests.ts';
import type { Reading } from './registry-bundle.ts';

export interface HelmChart {
  readonly name: string;
  readonly version: string;
  readonly objects: readonly Manifest[];
  /** Why Helm itself is needed to render the chart; empty where it is not. */
  readonly needsHelm: readonly string[];
}

/** Reads a chart at the root, or in the one directory there. */
export function readHelmChart(files: PackageFiles): Reading<HelmChart> {
  const inside = chartFiles(files);
  const problems: Problem[] = [];
  const found = readValue(inside, 'Chart.yaml', problems);
  if (found === undefined) return { problems: [{ message: 'Chart.yaml file is missing' }] };
  const metadata = isMap(found) ? found : {};
  problems.push(...chartProblems(metadata));
  const needsHelm = reasonsForHelm(inside, metadata);
  const manifests = new Map(
    [...inside].filter(([path]) => /^(?:crds|templates)\/.*\.(?:ya?ml|json)$/.test(path) && !isPartial(path)),
  );
  // What has template actions is no YAML yet.
  const read = needsHelm.length > 0 ? { manifests: [], problems: [] } : readManifests(manifests);
  problems.push(...read.problems);
  if (problems.length > 0) return { problems };
  const objects = read.manifests.map(({ manifest }) => manifest);
  return {
    value: { name: textAt(metadata, 'name'), version: textAt(metadata, 'version'), objects, needsHelm },
  };
}

/** The chart's objects, hooks left out and told. Refused where only Helm can tell what they are. */
export function convertHelm(chart: HelmChart): Conversion {
  if (chart.needsHelm.length > 0)
    return { refused: chart.needsHelm.map((reason) => `the chart needs Helm: ${reason}`) };
  const hooks = chart.objects.filter(isHook);
  const { objects, twins } = withoutTwins(chart.objects.filter((object) => !isHook(object)));
  if (twins.length > 0) return { refused: twins.map((twin) => `two different objects would be ${twin}`) };
  if (objects.length === 0) return { refused: ['the chart renders no objects'] };
  return {
    objects,
    notes: hooks.map((hook) => `${kindOf(hook)} ${nameOf(hook)} is a Helm hook and is skipped`),
  };
}

function chartFiles(files: PackageFiles): PackageFiles {
  if (files.has('Chart.yaml')) return files;
  const roots = new Set([...files.keys()].map((path) => path.split('/')[0] ?? ''));
  const [root = ''] = roots;
  if (roots.size !== 1 || !files.has(`${root}/Chart.yaml`)) return new Map();
  return new Map([...files].map(([path, file]) => [path.slice(root.length + 1), file]));
}

function chartProblems(metadata: Fields): readonly Problem[] {
  const apiVersion = textAt(metadata, 'apiVersion');
  const version = textAt(metadata, 'version');
  const type = textAt(metadata, 'type');
  const notes = [
    ...(apiVersion === '' ? ['chart.metadata.apiVersion is required'] : []),
    ...(textAt(metadata, 'name') === '' ? ['chart.metadata.name is required'] : []),
    ...(version === '' ? ['chart.metadata.version is required'] : []),
    ...(version !== '' && parseVersion(version.replace(/^v/, '')).value === undefined
      ? [`chart.metadata.version "${version}" is invalid`]
      : []),
    ...(type === '' || type === 'application' || type === 'library'
      ? []
      : ['chart.metadata.type must be application or library']),
  ];
  return notes.map((message) => ({ message: `validation: ${message}`, file: 'Chart.yaml' }));
}

function reasonsForHelm(files: PackageFiles, metadata: Fields): readonly string[] {
  const reasons: string[] = [];
  if (textAt(metadata, 'type') === 'library') reasons.push('a library chart renders nothing by itself');
  if (
    listAt(metadata, 'dependencies').length > 0 ||
    [...files.keys()].some((path) => path.startsWith('charts/'))
  ) {
    reasons.push('it has dependencies');
  }
  for (const [path, file] of files) {
    if (!path.startsWith('templates/') || isPartial(path)) continue;
    if (decodeText(path, file.bytes).includes('{{')) reasons.push(`${path} has template actions`);
  }
  return reasons;
}

/** Definitions for other templates, and what Helm prints when it is done. */
function isPartial(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.startsWith('_') || name === 'NOTES.txt';
}

function isHook(object: Manifest): boolean {
  return mapAt(mapAt(object, 'metadata'), 'annotations')['helm.sh/hook'] !== undefined;
}
