/** The variant documents and inventory objects that stand in a repository. */

import type { CatalogDocuments } from '../../catalog/catalog.ts';
import type { ConfigProblem } from '../../config/config-problem.ts';
import { readFileDocuments } from '../../config/read-content.ts';
import { unreadRollouts } from '../../config/read-rollouts.ts';
import { PorticoError } from '../../error.ts';
import { fileIn, isBelow, type RepositoryDirectory } from '../../revision/package-path.ts';
import type { Git } from '../git-port.ts';
import { catchUserError } from '../text/why-refused.ts';
import { CONFIGURATION_FILE, DOCUMENTS } from './configuration.ts';

const INVENTORY = fileIn(DOCUMENTS, 'inventory');

/** Of one file, and of all files of one folder. */
const MAX_FILE_LENGTH = 1024 * 1024;
const MAX_FILES = 2_000;

export interface RepositoryDocuments {
  readonly documents: readonly CatalogDocuments[];
  readonly inventory: readonly CatalogDocuments[];
}

/**
 * Reads both at a commit of the default branch. `inventory` is the folder that the configuration registers, absent for
 * none. What is known by its content is not read again. Of a folder that cannot be read, what is known stays, and the
 * reason is a mistake in `documents`: nobody can tell what is gone.
 */
export async function readDocuments({
  git,
  commit,
  inventory,
  known,
  signal,
}: {
  readonly git: Pick<Git, 'readPackage' | 'content'>;
  readonly commit: string;
  readonly inventory: RepositoryDirectory | undefined;
  readonly known: RepositoryDocuments | undefined;
  readonly signal?: AbortSignal | undefined;
}): Promise<RepositoryDocuments> {
  const before = new Map(
    [...(known?.documents ?? []), ...(known?.inventory ?? [])].map((one) => [`${one.file} ${one.id}`, one]),
  );
  const unread: CatalogDocuments[] = [];
  const filesOf = (top: RepositoryDirectory): Promise<readonly CatalogDocuments[]> =>
    catchUserError(
      () => folder({ git, commit, top, known: before, signal }),
      (message) => {
        const problem = { path: '', line: 1, column: 1, message };
        unread.push({ file: CONFIGURATION_FILE, id: top, documents: [], problems: [problem] });
        return [...before.values()].filter(({ file }) => isBelow(top, file));
      },
    );
  const beside = await filesOf(DOCUMENTS);
  const registered = inventory === undefined ? [] : await filesOf(inventory);
  const own = beside.filter(({ file }) => inInventory(file));
  const other = registered.filter(({ file }) => !own.some((one) => one.file === file));
  return {
    documents: [...beside.filter(({ file }) => !inInventory(file)), ...unread],
    inventory: [...own, ...other],
  };
}

async function folder({
  git,
  commit,
  top,
  known,
  signal,
}: {
  readonly git: Pick<Git, 'readPackage' | 'content'>;
  readonly commit: string;
  readonly top: RepositoryDirectory;
  readonly known: ReadonlyMap<string, CatalogDocuments>;
  readonly signal: AbortSignal | undefined;
}): Promise<CatalogDocuments[]> {
  const found = await git.readPackage(commit, top, {}, signal);
  const files = [...(found?.files ?? [])].filter(([path]) => /\.ya?ml$/.test(path));
  if (files.length > MAX_FILES) {
    // Whatever is left out would look as if somebody had deleted it.
    throw new PorticoError('TOO_MANY_DOCUMENTS', `${top} holds more than ${MAX_FILES} YAML files`, {
      blame: 'user',
      hint: 'Put several documents into one file, separated by ---.',
    });
  }
  const placed = files.map(([path, file]) => [fileIn(top, path), file] as const);
  const unread = placed.filter(
    ([file, { id = '', bytes }]) => !known.has(`${file} ${id}`) && bytes.length <= MAX_FILE_LENGTH,
  );
  const asked = new Map(unread);
  const read =
    unread.length === 0 ? [] : await (git.content?.documents(asked, signal) ?? readFileDocuments(asked).read);
  const now = new Map(read.map(({ file, ...rest }) => [file, rest]));
  return placed.map(([file, { id = '' }]) => {
    const before = id === '' ? undefined : known.get(`${file} ${id}`);
    return before ?? { file, id, ...(now.get(file) ?? tooLong(file)) };
  });
}

/** What it holds nobody can tell: a rollout in it would let nothing past. */
function tooLong(file: string): Omit<CatalogDocuments, 'file' | 'id'> {
  const message = `The file is larger than ${MAX_FILE_LENGTH / 1024} KiB`;
  return {
    documents: [],
    problems: [{ path: '', line: 1, column: 1, message }],
    rollouts: unreadRollouts(file),
  };
}

function inInventory(file: string): boolean {
  return file.startsWith(`${INVENTORY}/`);
}

/** What is wrong with the documents themselves, whatever they speak of, with its lines. */
export function documentProblems({ documents, inventory }: RepositoryDocuments): ConfigProblem[] {
  // Of its own folder the configuration says that it cannot be read.
  const others = [...documents, ...inventory].filter(({ id }) => id !== DOCUMENTS);
  return others.flatMap((file) => {
    const own = file.documents.flatMap((one) => (one.kind === 'refused' ? one.problems : []));
    const problems = [...file.problems, ...own].map((one) => ({
      ...one,
      code: 'variant-document',
      file: file.file,
      hint: 'Fix the document. Until then, what it created stays.',
    }));
    const notes = (file.notes ?? []).map((one) => ({
      ...one,
      code: 'not-evaluated',
      file: file.file,
      hint: 'Nothing else depends on it.',
    }));
    return [...problems, ...notes];
  });
}
