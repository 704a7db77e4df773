/** What a source takes of the content that it leads to. */
import { matchesGlob } from '../config/glob.ts';
import { PorticoError } from '../error.ts';
import { checkPackage } from '../package/limits.ts';
import { filesBelow } from '../package/package.ts';
import type { PackageFiles } from '../package/package.ts';
import type { FetchedSource } from './source.ts';

/** Licences and notices, which whoever copies content has to keep with it. */
const LEGAL = /^(?:(?:UN)?LICEN[SC]E|COPYING|COPYRIGHT|NOTICE|PATENTS)(?:[.-][^/]*)?$/i;

/**
 * The files that fill the destination, by their paths in it. Throws `SOURCE_EMPTY` where nothing is left, and `SOURCE_LINK`
 * where one of the links is taken.
 */
export function selectFiles(
  source: FetchedSource,
  content: PackageFiles,
  links: readonly string[] = [],
): PackageFiles {
  const { include, exclude, newRoot, keepLegal } = source;
  const whole = source.unwrap ? unwrapped(source, content) : content;
  refuseLinks(source, links);
  const below = newRoot === '' ? whole : filesBelow(whole, newRoot);
  if (below.size === 0) throw empty(source, `has no directory ${newRoot}`, topOf(whole));
  const taken = [...below].filter(([path]) => (keepLegal && LEGAL.test(path)) || isChosen(source, path));
  if (!taken.some(([path]) => !LEGAL.test(path)) && (include.length > 0 || exclude.length > 0)) {
    throw empty(source, 'has no file that include and exclude leave', topOf(below));
  }
  const files = new Map(taken);
  // Licences stand at the top of the content; what is below may have its own.
  for (const [path, file] of keepLegal && newRoot !== '' ? whole : []) {
    if (LEGAL.test(path) && !files.has(path)) files.set(path, file);
  }
  checkPackage(files, source.id);
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Whether a file at the top is a licence or a notice. */
export function isLegal(path: string): boolean {
  return LEGAL.test(path);
}

function isChosen({ include, exclude }: FetchedSource, path: string): boolean {
  return (include.length === 0 || matchesGlob(path, include)) && !matchesGlob(path, exclude);
}

/** A link means another file on every machine, and where it leads out of the package it means none of it. */
function refuseLinks(source: FetchedSource, links: readonly string[]): void {
  const { newRoot, id } = source;
  const prefix = newRoot === '' ? '' : `${newRoot}/`;
  const taken = links.find((path) => path.startsWith(prefix) && isChosen(source, path.slice(prefix.length)));
  if (taken === undefined) return;
  throw new PorticoError('SOURCE_LINK', `${taken} of ${id} is a link or a submodule, which no package has`, {
    blame: 'user',
    hint: 'Exclude it with exclude, or choose a directory without it as newRoot.',
  });
}

const CHART = 'Chart.yaml';

/** The chart, which stands at the top or in the one directory with a chart that is there. */
function unwrapped(source: FetchedSource, content: PackageFiles): PackageFiles {
  if (content.has(CHART)) return content;
  const tops = topOf(content);
  const charts = tops.filter((top) => content.has(`${top}/${CHART}`));
  const [chart] = charts;
  if (chart !== undefined && charts.length === 1) return filesBelow(content, chart);
  throw new PorticoError(
    'SOURCE_EMPTY',
    `the content of ${source.id} has ${charts.length === 0 ? 'no chart' : `${charts.length} charts`} at its top`,
    {
      blame: 'user',
      hint: `It has: ${listed(tops)}. A chart has its Chart.yaml at the root, or in the only directory there.`,
    },
  );
}

function topOf(files: PackageFiles): readonly string[] {
  return [...new Set([...files.keys()].map((path) => path.split('/', 1)[0] ?? ''))].sort();
}

function empty(source: FetchedSource, why: string, tops: readonly string[]): PorticoError {
  return new PorticoError('SOURCE_EMPTY', `the content of ${source.id} ${why}`, {
    blame: 'user',
    hint: `It has: ${listed(tops)}. Correct include, exclude or newRoot of the source.`,
  });
}

function listed(names: readonly string[]): string {
  const [most, rest] = [names.slice(0, 20).join(', '), names.length - 20];
  return rest > 0 ? `${most} and ${rest} more` : most || 'nothing';
}
