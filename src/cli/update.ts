import type { Conflict } from '../package/merge/conflict.ts';
import type { UpdateStrategy } from '../package/merge/merge-types.ts';
import { sameFile } from '../package/package.ts';
import type { PackageFile, PackageFiles } from '../package/package.ts';
import { nodeAt } from '../package/yaml/change.ts';
import { textAt } from '../package/yaml/node.ts';
import type { YamlNode } from '../package/yaml/node.ts';
import { readYamlFile } from '../package/yaml/read.ts';
import { counted } from '../text/counted.ts';
import { EXIT, usageError } from './exit-code.ts';
import { requireFree, writeChanges, writeNewFolder } from './folder-write.ts';
import { readFolder } from './folder.ts';
import type { Update } from './merged-update.ts';
import { strategyOf } from './strategy.ts';
import { parseTarget } from './upstream-location.ts';
import { openUserGit } from './user-git.ts';
import { placeIn, type Call } from './verb.ts';

const DIRECTORIES = ['base', 'upstream', 'local', 'output'] as const;

/** `portico update`: merges a newer upstream into a package, out of git or out of three directories. */
export async function update(call: Call): Promise<number> {
  return DIRECTORIES.some(call.has) ? updateDirectories(call) : updateInPlace(call);
}

async function updateDirectories(call: Call): Promise<number> {
  const [base, upstream, local, output] = DIRECTORIES.map((name) => {
    const typed = call.text(name);
    if (typed === undefined)
      throw usageError(`--${name} is missing`, 'Give --base, --upstream, --local and --output.');
    return call.path(typed);
  });
  if (base === undefined || upstream === undefined || local === undefined || output === undefined)
    return EXIT.usage;
  if (call.positionals.length > 0)
    throw usageError('--local already names the package', 'Remove the argument.');
  if (output !== local) requireFree(output);

  const read = (directory: string): PackageFiles =>
    readFolder(directory, { warn: call.terminal.warn, place: placeIn(call, directory) });
  const before = read(local);
  const { mergePackages } = await import('../package/merge/merge.ts');
  const merged = mergePackages({
    base: read(base),
    upstream: read(upstream),
    local: before,
    strategy: strategyOf(call.text('strategy')),
    onConflict: sideOf(call),
    decisions: decisionsOf(call),
  });
  return finish({
    call,
    before,
    merged,
    read: local,
    written: output,
    write: (after) => (output === local ? writeChanges(local, before, after) : writeNewFolder(output, after)),
  });
}

async function updateInPlace(call: Call): Promise<number> {
  const [typed, ref] = parseTarget(call.positionals[0] ?? '.', call.path);
  const directory = call.path(typed);
  const before = readFolder(directory, { warn: call.terminal.warn, place: placeIn(call, directory) });
  const strategy: UpdateStrategy | undefined = call.has('strategy')
    ? strategyOf(call.text('strategy'))
    : undefined;
  await using git = await openUserGit(call.signal);
  // Git asks upstream while the rest of the program is loaded.
  const repo = upstreamOf(before);
  if (repo !== '') git.expect(repo);
  const { updateFromGit } = await import('./update-from-git.ts');
  const merged = await updateFromGit(git, before, {
    directory,
    ref,
    strategy,
    onConflict: sideOf(call),
    decisions: decisionsOf(call),
    terminal: call.terminal,
  });
  const other = ` Without @REF, the revision is the one in the Kptfile; for another one, use portico update ${typed}@REF.`;
  return finish({
    call,
    before,
    merged,
    read: directory,
    written: directory,
    write: (after) => writeChanges(directory, before, after),
    hint: ref === undefined ? other : '',
  });
}

/** The repository that the Kptfile names; '' where it names none, which is told of later. */
function upstreamOf(files: PackageFiles): string {
  const file = files.get('Kptfile');
  const root = file === undefined ? null : rootOf(file);
  return textAt(root ?? undefined, 'upstream', 'git', 'repo');
}

/** The content of a Kptfile; null where it cannot be read, which is told of elsewhere. */
function rootOf({ bytes }: PackageFile): YamlNode | null {
  try {
    return readYamlFile(Buffer.from(bytes).toString()).documents[0]?.root ?? null;
  } catch {
    return null;
  }
}

/** Reports, and writes unless `--on-conflict fail` forbids it. */
function finish({
  call,
  before,
  merged,
  read,
  written,
  write,
  hint = '',
}: {
  readonly call: Call;
  readonly before: PackageFiles;
  readonly merged: Update;
  /** Where the package was read; messages name it. */
  readonly read: string;
  /** Where the result is written. */
  readonly written: string;
  readonly write: (after: PackageFiles) => void;
  /** Follows where nothing changed. */
  readonly hint?: string | undefined;
}): number {
  const { terminal } = call;
  const {
    conflicts,
    notes,
    strayDecisions: [stray],
  } = merged;
  if (stray !== undefined) {
    throw usageError(
      `--resolve ${stray}: there is no such conflict`,
      'Nothing was written. To list the ids, use --on-conflict fail.',
    );
  }
  const refused = conflicts.length > 0 && call.text('on-conflict') === 'fail';
  const after = refused ? before : merged.files;
  const changed = [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => !sameFile(before.get(path), after.get(path)))
    .sort();
  if (!refused) write(after);

  terminal.progress('');
  const place = placeIn(call, refused ? read : written);
  for (const { file, message } of notes) terminal.warn(`${place(file)}: ${message}`);
  for (const conflict of conflicts)
    terminal.say(conflictLine({ ...conflict, file: place(conflict.file) }, refused));
  if (conflicts.length > 0 && hasMutators(merged.files)) terminal.say(FUNCTIONS_DID_NOT_RUN);
  if (refused) terminal.say(`${counted(conflicts.length, 'conflict')}, so nothing was written.`);
  if (terminal.json) terminal.document({ changed, conflicts: conflicts.map(conflictDocument), notes });
  else {
    for (const path of changed) terminal.print(`changed ${place(path)}`);
    if (changed.length === 0 && !refused) terminal.say(`Nothing changed.${hint}`);
  }
  return conflicts.length > 0 ? EXIT.conflicts : EXIT.ok;
}

/** Pull requests fold the fields that functions write; here each is listed, because only rendering can tell which those are. */
const FUNCTIONS_DID_NOT_RUN =
  'portico update runs no functions, so conflicts in fields that functions write are listed too. Settle those of setters and of the Kptfile first, then run portico render, which writes the others.';

/** Whether a function of the package, or of a subpackage, may write fields. */
function hasMutators(files: PackageFiles): boolean {
  return [...files].some(([path, file]) => {
    if (path !== 'Kptfile' && !path.endsWith('/Kptfile')) return false;
    const mutators = nodeAt(rootOf(file), ['pipeline', 'mutators']);
    return mutators?.kind === 'list' && mutators.items.length > 0;
  });
}

/** Absent values are null in JSON, so that each of the three is there. */
function conflictDocument(conflict: Conflict): Record<string, unknown> {
  const { base = null, upstream = null, local = null } = conflict;
  return { ...conflict, base, upstream, local };
}

function conflictLine({ id, file, line, resource, path, taken }: Conflict, refused: boolean): string {
  const place = line === undefined ? file : `${file}:${line}`;
  const what = resource === null ? '' : ` ${resource.kind} ${resource.name}`;
  const outcome = refused ? 'changed on both sides' : `changed on both sides, ${taken} taken`;
  return `${place}: conflict ${id}:${what}${path === '' ? '' : ` ${path}`} ${outcome}`;
}

/** What `--resolve ID=SIDE` says of single conflicts. */
function decisionsOf(call: Call): ReadonlyMap<string, 'upstream' | 'local'> {
  return new Map(
    call.list('resolve').map((typed) => {
      const [, id = '', side] = /^([0-9a-f]{12})=(upstream|local)$/.exec(typed) ?? [];
      if (side === 'upstream' || side === 'local') return [id, side] as const;
      throw usageError(
        `--resolve ${JSON.stringify(typed)} is not a conflict id and a side`,
        'Write the id of a conflict and a side, such as --resolve 0a1b2c3d4e5f=local; --on-conflict fail lists the ids.',
      );
    }),
  );
}

function sideOf(call: Call): 'upstream' | 'local' {
  return call.text('on-conflict') === 'local' ? 'local' : 'upstream';
}
