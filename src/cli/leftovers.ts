/** Finds the content of a work tree that Portico would ignore, so that no folder disappears without a word. */
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { readResourceFile } from '../package/diff/resource-file.ts';
import { SOURCES_FILE } from '../package/sources/source-files.ts';
import { KUSTOMIZATION_NAMES } from '../package/tool-files/kustomization.ts';
import { processorsSchema, readsOf } from '../processors/processor-spec.ts';
import { readSources } from '../sources/read-sources.ts';
import { counted } from '../text/counted.ts';
import { packagesIn } from './packages-in.ts';
import { visible } from './terminal.ts';
import { columns } from './text-table.ts';
import type { Call } from './verb.ts';

export interface Leftover {
  readonly path: string;
  readonly what: string;
  readonly remedy: string;
  /** It holds something that a cluster could get. */
  readonly matters: boolean;
}

/** The rest is counted: a table on a terminal has to stay short. */
const MAX_ROWS = 20;
const MAX_NAMES = 3;
const PROCESSORS = 'docs/processors.md';

/**
 * Lists packages besides the chosen ones, charts and kustomizations that no processor builds, resources without a Kptfile, and
 * all other files in one last entry.
 *
 * @param typed how the person names a path of the folder, for commands that can be pasted
 */
export function findLeftovers(
  folder: string,
  packages: readonly string[],
  typed: (path: string) => string,
): readonly Leftover[] {
  const skipped = packagesIn(folder).filter((path) => path !== '.' && !packages.includes(path));
  const inPackages = [...skipped, ...packages];
  const files = filesIn(folder);
  const built = files.flatMap((path) => builtBy(folder, path));
  const buildable = new Map(files.flatMap((path) => buildableAt(path)));
  const isOutside = (path: string): boolean => !inPackages.some((one) => isAtOrBelow(path, one));
  const loose = files.filter(
    (path) => isOutside(path) && ![...buildable.keys()].some((one) => isAtOrBelow(path, one)),
  );
  const resources = new Map<string, number>();
  const others: string[] = [];
  for (const path of loose) {
    const count = resourcesOf(folder, path);
    const directory = directoryOf(path);
    if (count === 0) others.push(path);
    else resources.set(directory, (resources.get(directory) ?? 0) + count);
  }
  return [
    ...skipped.map((path) => ({
      path,
      what: 'a package that is left out',
      remedy: isHidden(path) ? 'rename it: git tags cannot start with a dot' : portico('check', typed(path)),
      matters: true,
    })),
    ...[...buildable]
      // A chart contains the charts that it depends on.
      .filter(([path]) => buildable.get(around(path, buildable) ?? '') !== CHART)
      .filter(([path]) => !built.some((one) => isAtOrBelow(path, one)))
      .map(([path, kind]) => ({
        path,
        what: isOutside(path) ? `${kind} without a Kptfile` : `${kind} in a package, not built`,
        remedy: `${isOutside(path) ? 'put it into a package and ' : ''}build it by a processor: ${PROCESSORS}`,
        matters: true,
      })),
    ...[...resources].map(([path, count]) => ({
      path,
      what: `${counted(count, 'resource')} without a Kptfile`,
      remedy: path === '.' ? 'put them into a folder with a Kptfile' : portico('init', typed(path)),
      matters: true,
    })),
    ...(others.length === 0
      ? []
      : [
          {
            path: shortened(others),
            what: `${counted(others.length, 'file')} outside any package`,
            remedy: 'nothing: Portico ignores such files',
            matters: false,
          },
        ]),
  ];
}

export function leftoversText(leftovers: readonly Leftover[]): string {
  const rows = leftovers.map(({ path, what, remedy }) => [path, what, remedy]);
  const more = rows.length - MAX_ROWS;
  return [
    ...columns([['name', 'what it is', 'what to do'], ...rows.slice(0, MAX_ROWS)]),
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join('\n');
}

const CHART = 'a Helm chart';

/** Reports what `portico check` neither renders nor checks, as warnings. */
export function reportLeftovers(
  call: Pick<Call, 'terminal'>,
  folder: string,
  packages: readonly string[],
  typed: (path: string) => string,
): readonly Leftover[] {
  const { terminal } = call;
  const left = findLeftovers(folder, packages, typed).filter(({ matters }) => matters);
  for (const { path, what, remedy } of left) {
    const where = visible(typed(path));
    terminal.say(
      `${where}: ${terminal.style('yellow', 'warning:', 'stderr')} ${what}, so it is not checked; ${remedy}`,
    );
  }
  return left;
}

/** The directory of a chart or a kustomization, by the file that makes it one. */
function buildableAt(path: string): (readonly [string, string])[] {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const directory = directoryOf(path);
  if (name === 'Chart.yaml') return [[directory, CHART]];
  return KUSTOMIZATION_NAMES.includes(name) ? [[directory, 'a kustomization']] : [];
}

/** The nearest of these directories above a directory. */
function around(path: string, directories: ReadonlyMap<string, string>): string | undefined {
  for (let at = path; at !== '.';) {
    at = directoryOf(at);
    if (directories.has(at)) return at;
  }
  return undefined;
}

/** What the processors of a document of sources read. */
function builtBy(folder: string, path: string): string[] {
  if (path !== SOURCES_FILE && !path.endsWith(`/${SOURCES_FILE}`)) return [];
  const read = readSources({ file: path, bytes: readFileSync(join(folder, path)) }, processorsSchema);
  if ('problems' in read) return [];
  const prefix = directoryOf(path) === '.' ? '' : `${directoryOf(path)}/`;
  return read.document.processors.flatMap(readsOf).map((one) => `${prefix}${one}`);
}

function resourcesOf(folder: string, path: string): number {
  if (isHidden(path) || !/\.(?:ya?ml|json)$/.test(path)) return 0;
  const file = join(folder, path);
  if (!lstatSync(file).isFile()) return 0;
  const read = readResourceFile(path, { mode: '100644', bytes: readFileSync(file) });
  return 'resources' in read ? read.resources.length : 0;
}

/** Paths of all files, sorted; libraries and git's own are no content. */
function filesIn(folder: string, below = ''): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true })
    .filter(({ name }) => name !== '.git' && name !== 'node_modules')
    .flatMap((entry) => {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      return entry.isDirectory() ? filesIn(folder, path) : [path];
    })
    .sort();
}

function shortened(paths: readonly string[]): string {
  const more = paths.length - MAX_NAMES;
  return `${paths.slice(0, MAX_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function directoryOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash === -1 ? '.' : path.slice(0, slash);
}

const isAtOrBelow = (path: string, directory: string): boolean =>
  directory === '.' || path === directory || path.startsWith(`${directory}/`);

const isHidden = (path: string): boolean => path.split('/').some((part) => part.startsWith('.'));

const portico = (verb: string, path: string): string => `npm run portico -- ${verb} ${path}`;
