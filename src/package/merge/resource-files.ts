import type { PackageFile } from '../package.ts';
import { editedChunk } from '../yaml/edit.ts';
import type { YamlNode } from '../yaml/node.ts';
import type { YamlFile } from '../yaml/read.ts';
import { footerStart } from './comments.ts';
import type { ReadDocument, Surroundings } from './comments.ts';
import type { Resource } from './resources.ts';

/** What becomes of a local resource: absent from the map means it stays as it is. */
export interface FileEdit {
  /** New roots of local documents; null removes the document. */
  readonly changed: ReadonlyMap<Resource, YamlNode | null>;
  /** New comments above and below local documents, in place of those that stand there. */
  readonly surroundings?: ReadonlyMap<Resource, Surroundings>;
  /** Documents that come in, each behind the local resource named (undefined: at the end). */
  readonly added: readonly { readonly after: Resource | undefined; readonly text: string }[];
}

/**
 * The text of a file after an edit, document by document, so that cost follows the change and every other byte stays.
 * Undefined when no document is left.
 */
export function editFile(yaml: YamlFile, resources: readonly Resource[], edit: FileEdit): string | undefined {
  const { text, eol } = yaml.source;
  const byDocument = new Map(resources.map((resource) => [resource.document, resource]));
  const chunks: string[] = [];
  let held = 0;
  for (const document of yaml.documents) {
    const resource = byDocument.get(document);
    const own = text.slice(...document.chunk);
    const root = resource === undefined ? undefined : edit.changed.get(resource);
    if (root === null) {
      if (chunks.length === 0 && document.chunk[0] === 0) chunks.push('');
    } else {
      if (resource !== undefined) held += 1;
      const edited = root === undefined ? own : editedChunk(yaml.source, document, root);
      const around = resource && edit.surroundings?.get(resource);
      chunks.push(withSurroundings(edited, own, resource, around));
    }
    for (const added of edit.added) {
      if (added.after === undefined || added.after !== resource) continue;
      chunks.push(`---${eol}${added.text}`);
      held += 1;
    }
  }
  for (const added of edit.added) {
    if (added.after !== undefined) continue;
    chunks.push(`---${eol}${added.text}`);
    held += 1;
  }
  return held === 0 ? undefined : join(chunks, text, eol);
}

/** The chunk with the new comments above and below its content, where they still stand as they did. */
export function withSurroundings(
  chunk: string,
  own: string,
  resource: ReadDocument | undefined,
  around: Surroundings | undefined,
): string {
  if (resource?.root.at === undefined || around === undefined) return chunk;
  const content = resource.root.at;
  const { document, yaml } = resource;
  const [from] = document.chunk;
  return withFooter(
    withHeader(chunk, own.slice(0, content.start - from), document.bodyStart - from, around.header),
    own.slice(footerStart(yaml.source, content.end) - from),
    around.footer,
    yaml.source.eol,
  );
}

function withHeader(chunk: string, opening: string, bodyStart: number, header: string | undefined): string {
  if (header === undefined || !chunk.startsWith(opening)) return chunk;
  return opening.slice(0, bodyStart) + header + chunk.slice(opening.length);
}

function withFooter(chunk: string, closing: string, footer: string | undefined, eol: string): string {
  if (footer === undefined || !chunk.endsWith(closing)) return chunk;
  const content = chunk.slice(0, chunk.length - closing.length);
  // A file whose last line has no end keeps it so.
  return content.endsWith('\n') ? content + footer : content + eol + footer.replace(/\r?\n$/, '');
}

function join(chunks: readonly string[], before: string, eol: string): string {
  const [first = '', ...rest] = chunks;
  const opening = first === '' ? [] : [first];
  const bodies =
    first === '' && !before.startsWith('---')
      ? [rest[0]?.replace(/^---[ \t]*\r?\n/, '') ?? '', ...rest.slice(1)]
      : rest;
  const parts = [...opening, ...bodies];
  const text = parts
    .map((part, at) => (at === parts.length - 1 || part.endsWith('\n') || part === '' ? part : part + eol))
    .join('');
  return before.endsWith('\n') || before === '' ? text : text.replace(/\r?\n$/, '');
}

/** A file with other content; mode and nothing else is kept. */
export function withText(text: string, mode: PackageFile['mode']): PackageFile {
  return { mode, bytes: new TextEncoder().encode(text) };
}

/** The text of a resource's document without its `---`, ended by a line break, with another root and comments if given. */
export function textOf(resource: Resource, root: YamlNode = resource.root, around?: Surroundings): string {
  const { source } = resource.yaml;
  const [start, end] = resource.document.chunk;
  const own = source.text.slice(start, end);
  const chunk = withSurroundings(editedChunk(source, resource.document, root), own, resource, around);
  const body = chunk
    .slice(resource.document.bodyStart - start)
    .replace(/\r?\n\.\.\.[^\n]*\r?\n?$/, source.eol);
  const plain = body.replace(/^\uFEFF/, '');
  return plain === '' || plain.endsWith('\n') ? plain : plain + source.eol;
}
