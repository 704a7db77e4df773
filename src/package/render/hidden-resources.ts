/**
 * Files that functions do not see, though a cluster tool may apply them: what `.krmignore` names, and names that kpt does
 * not read, such as `d.YAML`. Guardrails judge them all the same, and what is newly hidden fails. So do links and files from
 * which a tool builds other resources (`tool-files/`).
 */
import { differencesIn } from '../applied/differences.ts';
import type { PackageFiles } from '../package.ts';
import { sameFile } from '../package.ts';
import { isApplied } from '../tool-files/deploy-tools.ts';
import { unjudgedLinks } from '../tool-files/links.ts';
import { isToolFile, toolFindings } from '../tool-files/tool-files.ts';
import { setPlace } from './bookkeeping.ts';
import { copyValue } from './field-notes.ts';
import type { ResultItem } from './function-runtime.ts';
import type { KrmObject } from './krm-object.ts';
import { isResourceFile, ownersIn, packageDirs, visibleIn } from './package-sources.ts';
import { decodeText, readFileOf, readResources, UnreadableFile } from './read-resources.ts';
import type { SourceDocument, SourceFile } from './read-resources.ts';
import type { HiddenBefore } from './render-context.ts';

/** What a hidden file holds. */
export interface HiddenFile {
  readonly path: string;
  readonly source: SourceFile | undefined;
  /** Documents that a cluster would take. */
  readonly resources: readonly SourceDocument[];
  /** Why it cannot be judged. */
  readonly unreadable?: UnreadableFile;
}

/** Past these a file is not read, and counts as one that cannot be. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_RESOURCES = 20_000;

/** Whether there may be any, told by the names of files alone. */
export function mayHideFiles(files: PackageFiles): boolean {
  return [...files.keys()].some(
    (path) =>
      /(?:^|\/)\.krmignore$/.test(path) || (isApplied(path) && !isResourceFile(path)) || isToolFile(path),
  );
}

function hiddenPaths(files: PackageFiles): string[] {
  const visible = visibleIn(files);
  return [...files.keys()]
    .filter((path) => isApplied(path) && !path.split('/').includes('.git') && !visible(path))
    .sort();
}

/** The files of a package that are hidden, read. Never throws for what is in them. */
export function hiddenFiles(files: PackageFiles): HiddenFile[] {
  const limits = { bytes: MAX_BYTES, resources: MAX_RESOURCES };
  return hiddenPaths(files).map((path) => readHidden(path, files, limits));
}

function readHidden(
  path: string,
  files: PackageFiles,
  limits: { bytes: number; resources: number },
): HiddenFile {
  const bytes = files.get(path)?.bytes ?? new Uint8Array();
  const resourcesOf = ({ documents }: SourceFile): SourceDocument[] => {
    const resources = documents.filter(({ value }) => isResource(value));
    limits.resources -= resources.length;
    if (limits.resources < 0) throw tooMuch(path);
    return resources;
  };
  try {
    limits.bytes -= bytes.length;
    if (limits.bytes < 0) throw tooMuch(path);
    const source = readFileOf(path, bytes, { resourcesOnly: true });
    const unreadable = misread(source);
    return { path, source, resources: resourcesOf(source), ...(unreadable && { unreadable }) };
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    if (error.code !== 'YAML_INVALID' || isJson(path)) {
      return { path, source: undefined, resources: [], unreadable: error };
    }
    return readByDocument(path, bytes, error, resourcesOf);
  }
}

/** A cluster tool applies the documents of a file one by one, up to the first that it cannot read, or past it. */
function readByDocument(
  path: string,
  bytes: Uint8Array,
  whole: UnreadableFile,
  resourcesOf: (source: SourceFile) => SourceDocument[],
): HiddenFile {
  const resources: SourceDocument[] = [];
  let unreadable = whole;
  for (const text of decodeText(path, bytes).split(/^(?=(?:---|\.\.\.)(?:\s|$))/m)) {
    try {
      const source = readResources(path, text, { resourcesOnly: true });
      resources.push(...resourcesOf(source));
      const other = misread(source);
      if (other?.isYamlForNobody === false) unreadable = other;
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      // What others may read says more than what nobody can.
      if (!error.isYamlForNobody) unreadable = error;
    }
  }
  return {
    path,
    source: undefined,
    resources: resources.map((one, index) => ({ ...one, index })),
    unreadable,
  };
}

/** Why a text that Portico reads is something else for the tools of a cluster. */
function misread({ path, yaml }: SourceFile): UnreadableFile | undefined {
  const differences = differencesIn(yaml);
  const [first] = differences;
  if (first === undefined) return undefined;
  const { line, what, hint } = first;
  const isYamlForNobody = differences.every(({ isFatal }) => isFatal === true);
  const at = { file: path, line, isYamlForNobody };
  return new UnreadableFile(at, 'YAML_INVALID', `${path}:${line}: ${what}`, hint);
}

function isJson(path: string): boolean {
  return /\.json$/i.test(path);
}

function tooMuch(path: string): UnreadableFile {
  const message = `${path}: the files that are hidden hold more than is read`;
  return new UnreadableFile({ file: path }, 'PACKAGE_TOO_LARGE', message, 'Split the package into several.');
}

/** The server refuses what lacks either; the name may be generated. */
function isResource({ apiVersion, kind }: KrmObject): boolean {
  return typeof apiVersion === 'string' && typeof kind === 'string';
}

/** The resources of hidden files as functions would see them. */
export function hiddenItems(hidden: readonly HiddenFile[], files: PackageFiles): KrmObject[] {
  const owner = ownersIn(new Set(packageDirs(files)));
  return hidden.flatMap(({ path, resources }) =>
    resources.map(({ value, index }) => {
      const item = copyValue(value);
      const dir = owner(path);
      const place = { package: dir, path: dir === '.' ? path : path.slice(dir.length + 1), index };
      setPlace(item, place, `hidden-${path}-${index}`);
      return item;
    }),
  );
}

/** What there is to tell of hidden files: an error where the base did not hide it too. */
export function hiddenResults(
  hidden: readonly HiddenFile[],
  files: PackageFiles,
  { base, isNew = false, links = [], linksBefore = [], deploy }: HiddenBefore,
): ResultItem[] {
  const known = base !== undefined || isNew;
  const before = base && visibleBefore(base);
  const wasHidden = (path: string): boolean =>
    before !== undefined && (isResourceFile(path) ? !before(path) : base?.has(path) === true);
  const findings = hidden.flatMap((file): ResultItem[] => {
    const { path, resources, unreadable } = file;
    const was = wasHidden(path);
    if (unreadable !== undefined && !(was && sameFile(base?.get(path), files.get(path)))) {
      // What is no YAML is no resource either: templates are hidden so. What only we do not read may be one.
      const harmless = was && unreadable.isYamlForNobody && !isJson(path);
      const message = `${path} is hidden from functions, and guardrails cannot judge it: ${unreadable.message}`;
      return [
        { message: `${message}. ${UNREADABLE_WAYS}`, severity: level(known && !harmless), ...at(path) },
      ];
    }
    if (was || resources.length === 0) return [];
    const why = isResourceFile(path) ? '.krmignore hides it' : 'its extension is not in lower case';
    const message = `${path} holds resources that a cluster tool may apply, and functions do not see them: ${why}.`;
    return [{ message: `${message} ${HIDDEN_WAYS}`, severity: level(known), ...at(path) }];
  });
  return [
    ...findings,
    ...unjudgedLinks({ files: base ?? new Map(), links: linksBefore }, { files, links }).map(
      ({ path, isChanged }): ResultItem => {
        const message = `${path} is a symbolic link or a submodule: its target is not checked, although a cluster tool may follow it.`;
        return {
          message: `${message} Put the file itself there.`,
          severity: level(known && isChanged),
          ...at(path),
        };
      },
    ),
    ...toolFindings(files, deploy).map(({ path, message, field, inputs }): ResultItem => {
      const isOld = base !== undefined && inputs.every((one) => sameFile(base.get(one), files.get(one)));
      return {
        message,
        severity: level(known && !isOld),
        ...at(path),
        ...(field !== undefined && { place: { path, index: 0, field } }),
      };
    }),
  ];
}

/** A base whose `.krmignore` cannot be used hides nothing. */
function visibleBefore(base: PackageFiles): (path: string) => boolean {
  const visible = visibleIn(base);
  return (path) => {
    try {
      return visible(path);
    } catch (error) {
      if (error instanceof UnreadableFile) return true;
      throw error;
    }
  };
}

const HIDDEN_WAYS =
  'Let functions see it, or give it an extension that no cluster tool applies, such as .tmpl; where it has to stay ' +
  'hidden, the base branch has to hide it first.';

const UNREADABLE_WAYS = 'Fix it, or give it an extension that no cluster tool applies, such as .tmpl.';

/** Where nothing is known of the base, nothing is said to be new. */
function level(fails: boolean): 'error' | 'warning' {
  return fails ? 'error' : 'warning';
}

function at(path: string): Pick<ResultItem, 'file'> {
  return { file: { path } };
}
