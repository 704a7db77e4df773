/** Pure: which changes of a downstream package an update leaves in place. */
import { shortenValue } from '../../text/cut-text.ts';
import { codeSpan } from '../../text/markdown.ts';
import type { PackageFiles, ResourceRef } from '../package.ts';
import { isMap } from '../plain-values.ts';
import { flow } from './diff-markdown.ts';
import type { FieldChange, PackageDiff } from './diff-types.ts';
import { diffPackages } from './diff.ts';

/** The three sides of an update, and what came of them. */
export interface UpdateSides {
  /** The upstream revision that the package was made from. */
  readonly base: PackageFiles;
  /** The upstream revision that it is brought to. */
  readonly upstream: PackageFiles;
  readonly local: PackageFiles;
  readonly result: PackageFiles;
}

/** Lines of the list in a pull request. */
const MAX_LINES = 12;
/** Characters of a value that is shown. */
const MAX_VALUE_LENGTH = 100;

/**
 * The local changes that stand after an update, a Markdown line each: what the package differed in from the old upstream
 * revision, and still differs in from the new one. What stands alike in several resources is one line.
 */
export function survivingChanges({ base, upstream, local, result }: UpdateSides): string[] {
  const before = diffPackages(base, local, { renamed: true });
  const after = diffPackages(upstream, result, { renamed: true });
  const lines = [...fieldLines(before, after), ...wholeLines(before, after), ...fileLines(before, after)];
  const more = lines.length - MAX_LINES;
  return more > 0 ? [...lines.slice(0, MAX_LINES), `… and ${more} more`] : lines;
}

function fieldLines(before: PackageDiff, after: PackageDiff): string[] {
  const own = new Map(
    before.resources.map(({ resource, fields }) => [key(resource), fields.map(({ path }) => path)]),
  );
  const added = new Set(before.resources.filter(({ change }) => change === 'added').map(keyOf));
  const values = new Map<string, string[]>();
  for (const { resource, fields } of after.resources) {
    if (isBookkeeping(resource)) continue;
    const paths = own.get(key(resource)) ?? [];
    for (const field of fields) {
      if ((resource.kind === 'Kptfile' && LINK.test(field.path)) || isMark(field)) continue;
      // A resource that both sides added is local's where it differs from upstream's.
      if (!added.has(key(resource)) && !paths.some((path) => meets(path, field.path))) continue;
      const text = fieldText(field);
      values.set(text, [...(values.get(text) ?? []), called(resource)]);
    }
  }
  return [...values].map(
    ([text, names]) => `${names.length === 1 ? (names[0] ?? '') : `${names.length} resources`}: ${text}`,
  );
}

/** What a Kptfile says of its upstream and of its last render is Portico's to write. */
const LINK = /^(?:upstream|upstreamLock|status|metadata\.name)\b/;

/** kpt's annotations of where a resource comes from. */
function isMark({ path, after }: FieldChange): boolean {
  if (path.includes(MARK)) return true;
  const keys = path === 'metadata.annotations' && isMap(after) ? Object.keys(after) : [];
  return keys.length > 0 && keys.every((one) => one.startsWith(MARK));
}

const MARK = 'internal.kpt.dev/';

function fieldText({ path, change, before, after }: FieldChange): string {
  const at = path === '' ? '(all)' : path;
  if (change === 'removed') return `without ${codeSpan(at)}`;
  if (change === 'moved') return `${codeSpan(at)} in its own order`;
  const upstream = change === 'added' ? '' : ` (upstream: ${codeSpan(short(flow(before)))})`;
  return `${codeSpan(`${at}: ${short(flow(after))}`)}${upstream}`;
}

function wholeLines(before: PackageDiff, after: PackageDiff): string[] {
  const own = new Set(before.resources.map((one) => `${one.change} ${key(one.resource)}`));
  return after.resources
    .filter(({ change }) => change === 'added' || change === 'removed')
    .filter((one) => !isBookkeeping(one.resource) && own.has(`${one.change} ${key(one.resource)}`))
    .map(
      ({ resource, change }) =>
        `${called(resource)} ${change === 'added' ? 'is only here' : 'stays removed'}`,
    );
}

function fileLines(before: PackageDiff, after: PackageDiff): string[] {
  const own = new Set(before.files.map(({ file }) => file));
  return after.files
    .filter(({ file }) => own.has(file))
    .map(({ file, change }) => {
      const what =
        change === 'added' ? 'is only here' : change === 'removed' ? 'stays removed' : 'keeps its changes';
      return `${codeSpan(file)} ${what}`;
    });
}

/** True where one of the paths leads to the other. */
function meets(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return long.startsWith(short) && (short === '' || short === long || /[.[]/.test(long[short.length] ?? ''));
}

/** The object that a deployment package is told its own name by. */
function isBookkeeping({ kind, name }: ResourceRef): boolean {
  return kind === 'ConfigMap' && name === 'kptfile.kpt.dev';
}

function key({ apiVersion, kind, namespace, name }: ResourceRef): string {
  // A package has one Kptfile for each directory; its name is the package's own.
  return JSON.stringify([apiVersion.split('/')[0], kind, namespace, kind === 'Kptfile' ? '' : name]);
}

function keyOf({ resource }: { readonly resource: ResourceRef }): string {
  return key(resource);
}

function called({ kind, namespace, name }: ResourceRef): string {
  if (kind === 'Kptfile') return codeSpan('Kptfile');
  return codeSpan(`${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`);
}

function short(text: string): string {
  return shortenValue(text, MAX_VALUE_LENGTH);
}
