/** Comments that one side wrote and that a merge could not keep: what they belong to is gone. */
import { PorticoError } from '../../error.ts';
import { joined } from '../../text/joined.ts';
import { sameFile } from '../package.ts';
import type { PackageFile, PackageFiles } from '../package.ts';
import { leadOf, lineComment } from '../yaml/layout.ts';
import type { ListItem, MapEntry, Slot, SlotPlace, YamlNode } from '../yaml/node.ts';
import { formatPath } from '../yaml/path.ts';
import type { PathSegment, YamlPath } from '../yaml/path.ts';
import type { YamlFile } from '../yaml/read.ts';
import { isYaml } from './bookkeeping.ts';
import { footerOf } from './comments.ts';
import type { Side } from './conflict.ts';
import type { Report } from './report.ts';
import { decode, readFile, resourcesOf } from './resources.ts';
import type { Resource } from './resources.ts';

interface Trees {
  readonly base: PackageFiles;
  readonly upstream: PackageFiles;
  readonly local: PackageFiles;
}

/**
 * Tells of each comment that a side added or changed since base and that the merged package does not have, where neither
 * a conflict nor another note tells of its place. It looks into files alone that the merge wrote.
 */
export function tellLostComments(trees: Trees, merged: PackageFiles, report: Report): void {
  const reported = new Set<string>();
  const kept = once(() => commentsOfAll(merged));
  const old = once(() => commentsOfAll(trees.base));
  const notes = once(() => JSON.stringify([report.conflicts, report.notes]));
  for (const side of ['local', 'upstream'] as const) {
    for (const [path, file] of trees[side]) {
      if (!isRead(path) || sameFile(file, merged.get(path)) || sameFile(file, trees.base.get(path))) continue;
      const there = new Set([...commentsIn(trees.base.get(path)), ...commentsIn(merged.get(path))]);
      const lost = [...new Set(commentsIn(file))].filter(
        (text) => !there.has(text) && !reported.has(text) && !old().has(text) && !kept().has(text),
      );
      const untold = lost.filter((text) => !notes().includes(JSON.stringify(text).slice(1, -1)));
      if (untold.length === 0) continue;
      for (const text of untold) reported.add(text);
      tell({ side, path, file, lost: new Set(untold), report });
    }
  }
}

function tell({
  side,
  path,
  file,
  lost,
  report: { note, conflicts },
}: {
  readonly side: Side;
  readonly path: string;
  readonly file: PackageFile;
  readonly lost: ReadonlySet<string>;
  readonly report: Report;
}): void {
  const yaml = readFile(path, file);
  // Such files merge line by line, and every line is told.
  if (yaml instanceof PorticoError) return;
  for (const resource of resourcesOf(path, yaml)) {
    const of = conflicts.filter((one) => isAbout(one, path, resource)).map((one) => one.path);
    for (const { at, text } of commentsOf(resource)) {
      if (!lost.has(plain(text))) continue;
      const place = formatPath(at);
      if (of.some((where) => where === '' || isWithin(place, where))) continue;
      const { kind, name } = resource.ref;
      const where = joined([`${kind} ${name}`.trim(), place], ', ');
      note('COMMENT_GONE', path, `${where}: ${OUTCOME[side]}; it says: ${plain(text)}`);
    }
  }
  for (const comments of looseComments(yaml)) {
    const says = comments.filter((text) => lost.has(text)).join(' ');
    if (says !== '') note('COMMENT_GONE', path, `Between resources: ${OUTCOME[side]}; it says: ${says}`);
  }
}

const OUTCOME: Readonly<Record<Side, string>> = {
  local: 'a local comment was removed together with what it belongs to',
  upstream: "upstream's comment was not added",
};

/** The comments of documents that hold nothing else, document by document. Those before the first resource are a header apart from the content. */
function looseComments({ documents, source }: YamlFile): string[][] {
  const first = documents.findIndex(({ root }) => root !== null);
  return documents.flatMap(({ root, chunk }, at) =>
    root === null && first !== -1 && at > first ? [commentLines(source.text.slice(...chunk))] : [],
  );
}

/** True where a conflict is about this resource, or about all of its package. */
function isAbout(
  { file, resource, path }: Report['conflicts'][number],
  of: string,
  { ref }: Resource,
): boolean {
  if (path === '' && file.endsWith('Kptfile') && of.startsWith(file.slice(0, -'Kptfile'.length))) return true;
  if (file === of && resource === null) return true;
  // A resource may stand elsewhere on the other side; a Kptfile is told by its file alone.
  const isPlace = file === of || ref.kind !== 'Kptfile';
  return isPlace && resource?.kind === ref.kind && resource.name === ref.name;
}

function isWithin(place: string, whole: string): boolean {
  return place === whole || (place.startsWith(whole) && /^[.[]/.test(place.slice(whole.length)));
}

interface Found {
  readonly at: YamlPath;
  readonly text: string;
}

/** The comments of a document's content and below it; a header apart from the content stays local's without a word. */
function* commentsOf(resource: Resource): Generator<Found> {
  yield* commentsBelow(resource.root, []);
  for (const line of (footerOf(resource) ?? '').split('\n'))
    if (line.trim() !== '') yield { at: [], text: line };
}

function* commentsBelow(node: YamlNode, at: YamlPath): Generator<Found> {
  if (node.kind !== 'map' && node.kind !== 'list') return;
  if (node.flow === true) {
    if (node.at === undefined) return;
    const text = node.at.source.text.slice(node.at.start, node.at.end);
    for (const comment of text.includes('\n') ? commentLines(text) : []) yield { at, text: comment };
    return;
  }
  const slots: readonly (readonly [PathSegment, MapEntry | ListItem])[] =
    node.kind === 'map'
      ? node.entries.map((entry) => [entry.name, entry] as const)
      : node.items.map((item, index) => [index, item] as const);
  for (const [segment, slot] of slots) {
    const here = [...at, segment];
    for (const text of isPlaced(slot) ? textsOf(slot) : []) yield { at: here, text };
    yield* commentsBelow(slot.value, here);
  }
}

function isPlaced(slot: Slot): slot is Slot & { readonly at: SlotPlace } {
  return slot.at !== undefined;
}

function textsOf(slot: Slot & { readonly at: SlotPlace }): string[] {
  return [...(leadOf(slot)?.lines ?? []), lineComment(slot)?.text ?? ''].filter((text) => text.trim() !== '');
}

function isRead(path: string): boolean {
  return isYaml(path) || path === 'Kptfile' || path.endsWith('/Kptfile');
}

function commentsOfAll(files: PackageFiles): ReadonlySet<string> {
  return new Set([...files].flatMap(([path, file]) => (isRead(path) ? commentsIn(file) : [])));
}

/** What may be comments in a file, read line by line: cheap, and more than there are. */
function commentsIn(file: PackageFile | undefined): string[] {
  if (file === undefined) return [];
  try {
    return commentLines(decode(file.bytes));
  } catch (error) {
    if (error instanceof TypeError) return [];
    throw error;
  }
}

function commentLines(text: string): string[] {
  if (!text.includes('#')) return [];
  return text.split('\n').flatMap((line) => {
    const mark = /(?:^|\s)#/.exec(line);
    const comment = mark === null ? '' : plain(line.slice(mark.index));
    // kpt's own is no one's.
    return comment === '' || comment.startsWith('kpt-merge:') ? [] : [comment];
  });
}

/** The text of a comment without its mark. */
function plain(comment: string): string {
  return comment.trim().replace(/^#/, '').trim();
}

function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}
