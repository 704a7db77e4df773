/** What publishers write of a new version, where charts and archives have it: release notes that come with the content. */
import { PorticoError } from '../error.ts';
import { decode } from '../package/diff/resource-file.ts';
import type { PackageFiles } from '../package/package.ts';
import { valueAt } from '../package/plain-values.ts';
import { readYaml } from '../package/yaml/edit.ts';
import { cutText } from '../text/cut-text.ts';
import { inert } from '../text/markdown.ts';

/** Characters of the notes of one source. */
const MAX_LENGTH = 4_000;
/** Characters of a file that are looked at: the newest version stands first. */
const MAX_READ = 200_000;

/** Helm charts say their changes there: https://artifacthub.io/docs/topics/annotations/helm/ */
const CHANGES = 'artifacthub.io/changes';
const CHANGELOGS = /^(?:CHANGELOG|CHANGES|RELEASE-NOTES|RELEASE_NOTES|HISTORY)(?:\.md|\.txt)?$/i;

/** The notes of what fills a directory, as inert Markdown; none where it has none, or the same as before. Never throws. */
export function publisherNotes(
  before: PackageFiles,
  after: PackageFiles,
  directory: string,
): readonly string[] {
  const annotation = chartChanges(after, directory);
  const isNew = annotation !== undefined && annotation !== chartChanges(before, directory);
  const notes = isNew ? annotation : newLines(before, after, directory);
  return notes === undefined || notes.trim() === ''
    ? []
    : [inert(cutText(notes.trim(), { characters: MAX_LENGTH }))];
}

function chartChanges(files: PackageFiles, directory: string): string | undefined {
  const text = textAt(files, `${directory}/Chart.yaml`);
  if (text === undefined) return undefined;
  try {
    const [chart] = readYaml(text);
    const annotations = valueAt(chart, 'annotations', CHANGES);
    return typeof annotations === 'string' ? annotations : undefined;
  } catch (error) {
    if (error instanceof PorticoError) return undefined;
    throw error;
  }
}

/** What stands in a changelog above what it began with before. */
function newLines(before: PackageFiles, after: PackageFiles, directory: string): string | undefined {
  const path = [...after.keys()].find(
    (one) => one.startsWith(`${directory}/`) && CHANGELOGS.test(one.slice(directory.length + 1)),
  );
  const [old, now] = [before, after].map((files) =>
    path === undefined ? undefined : textAt(files, path)?.split('\n'),
  );
  if (old === undefined || now === undefined) return undefined;
  const known = new Set(old.filter((line) => line.startsWith('#')));
  const fresh = now.findIndex((line) => line.startsWith('#') && !known.has(line));
  if (fresh === -1) return undefined;
  const end = now.findIndex((line, at) => at > fresh && line.startsWith('#') && known.has(line));
  return now.slice(fresh, end === -1 ? undefined : end).join('\n');
}

function textAt(files: PackageFiles, path: string): string | undefined {
  const bytes = files.get(path)?.bytes;
  return bytes === undefined ? undefined : decode(bytes)?.slice(0, MAX_READ);
}
