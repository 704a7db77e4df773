import type { Choice, Conflict, Side } from '../package/merge/conflict.ts';
import { sameFile } from '../package/package.ts';
import type { PackageFile, PackageFiles } from '../package/package.ts';
import { nodeAt } from '../package/yaml/change.ts';
import { textAt } from '../package/yaml/node.ts';
import type { YamlNode } from '../package/yaml/node.ts';
import { readYamlFile } from '../package/yaml/read.ts';
import { counted } from '../text/counted.ts';
import { conflictText, shellWord } from './conflict-text.ts';
import { EXIT, usageError } from './exit-code.ts';
import { requireFree, writeChanges, writeNewFolder } from './folder-write.ts';
import { readFolder } from './folder.ts';
import type { Update } from './merged-update.ts';
import { keepWayBack, savedState } from './saved-state.ts';
import type { SavedState } from './saved-state.ts';
import { strategyOf } from './strategy.ts';
import {
  keepRecord,
  noAnswers,
  readRecord,
  recorded,
  replayed,
  requireBoth,
  settledSince,
} from './update-record.ts';
import type { MadeUpdate, UpdateRequest } from './update-record.ts';
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
  const sides = { base: read(base), upstream: read(upstream) };
  const strategy = strategyOf(call.text('strategy'));
  const made: MadeUpdate = {
    request: { directory: output, ref: undefined, strategy, onConflict: sideOf(call) },
    local: before,
    sides,
    git: noAnswers(),
    decisions: decisionsOf(call),
    ids: [],
  };
  return finish({
    call,
    before,
    made,
    merged: await remake(call, made, made.decisions),
    read: local,
    written: output,
    state: await savedState(output, call.signal),
    write: (after) => (output === local ? writeChanges(local, before, after) : writeNewFolder(output, after)),
  });
}

async function updateInPlace(call: Call): Promise<number> {
  const [typed, ref] = parseTarget(call.positionals[0] ?? '.', call.path);
  const directory = call.path(typed);
  const before = readFolder(directory, { warn: call.terminal.warn, place: placeIn(call, directory) });
  const request: UpdateRequest = {
    directory,
    ref,
    strategy: call.has('strategy') ? strategyOf(call.text('strategy')) : undefined,
    onConflict: sideOf(call),
  };
  const decisions = decisionsOf(call);
  const state = await savedState(directory, call.signal);
  const where = { call, before, read: directory, written: directory, state };
  const write = (after: PackageFiles): void => writeChanges(directory, before, after);
  const last = readRecord(state);
  if (
    last !== undefined &&
    decisions.size > 0 &&
    [...decisions.keys()].every((id) => last.ids.includes(id))
  ) {
    const settled = await settledSince(last, before, decisions, async (...asked) => remake(call, ...asked));
    if (settled !== undefined)
      return finish({ ...where, made: settled.made, merged: settled.update, write, settling: true });
  }
  await using git = await openUserGit(call.signal);
  // Git asks upstream while the rest of the program is loaded.
  const repo = upstreamOf(before);
  if (repo !== '') git.expect(repo);
  const { updateFromGit } = await import('./update-from-git.ts');
  const made: MadeUpdate = { request, local: before, git: noAnswers(), decisions, ids: [] };
  const asked = { ...request, decisions, terminal: call.terminal };
  const merged = await updateFromGit(recorded(git, made.git), before, asked);
  const other = ` Without @REF, the revision is the one in the Kptfile; for another one, use portico update ${typed}@REF.`;
  const open = async (): Promise<readonly Conflict[]> =>
    last === undefined
      ? []
      : ((await settledSince(last, before, new Map(), async (...again) => remake(call, ...again)))?.update
          .conflicts ?? []);
  // Awaited here, so that a failure is reported before git is closed.
  return await finish({ ...where, made, merged, write, hint: ref === undefined ? other : '', open });
}

/** The update with these decisions, out of what its record holds. */
async function remake(
  call: Call,
  { request, local, sides, git }: MadeUpdate,
  decisions: MadeUpdate['decisions'],
): Promise<Update> {
  if (sides === undefined) {
    const { updateFromGit } = await import('./update-from-git.ts');
    const { terminal } = call;
    return updateFromGit(replayed(git), local, { ...request, decisions, terminal });
  }
  const { strategy, onConflict } = request;
  const { mergePackages } = await import('../package/merge/merge.ts');
  return mergePackages({ ...sides, local, ...(strategy && { strategy }), onConflict, decisions });
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

interface Finish {
  readonly call: Call;
  readonly before: PackageFiles;
  /** How to make the update again, for its record. */
  readonly made: MadeUpdate;
  readonly merged: Update;
  /** Where the package was read; messages name it. */
  readonly read: string;
  /** Where the result is written. */
  readonly written: string;
  readonly state: SavedState;
  readonly write: (after: PackageFiles) => void;
  /** Follows where nothing changed. */
  readonly hint?: string;
  /** True where conflicts of an update that was written are settled. */
  readonly settling?: true;
  /** Conflicts of the previous update that no one has resolved. */
  readonly open?: () => Promise<readonly Conflict[]>;
}

/** Reports, and writes unless `--on-conflict fail` forbids it. */
async function finish({
  call,
  before,
  made,
  merged,
  read,
  written,
  state,
  write,
  hint = '',
  settling,
  open,
}: Finish): Promise<number> {
  const { terminal } = call;
  const { conflicts, notes } = merged;
  requireKnown(merged);
  const refused = settling === undefined && conflicts.length > 0 && call.text('on-conflict') === 'fail';
  const after = refused ? before : merged.files;
  const changed = [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => !sameFile(before.get(path), after.get(path)))
    .sort();
  if (settling) keepRecord(state, made);
  else if (!refused && (changed.length > 0 || conflicts.length > 0)) {
    const overwritten = read === written ? changed.filter((path) => before.has(path)) : [];
    const named = placeIn(call, read);
    const copy = await keepWayBack(state, before, overwritten, { force: call.has('force'), named });
    if (copy !== undefined) terminal.say(`The package as it was before is in ${copy}.`);
    const ids = [...conflicts.map(({ id }) => id), ...made.decisions.keys()];
    keepRecord(state, conflicts.length > 0 ? { ...made, ids } : undefined);
  }
  if (!refused) write(after);

  terminal.progress('');
  const place = placeIn(call, refused ? read : written);
  for (const { file, message } of notes) terminal.warn(`${place(file)}: ${message}`);
  const shown = changed.length === 0 && conflicts.length === 0 ? ((await open?.()) ?? []) : conflicts;
  const command = refused ? commandOf(call) : `portico update ${shellWord(place('.'))}`;
  for (const conflict of shown)
    terminal.say(conflictText(conflict, { file: place(conflict.file), refused, command }));
  if (conflicts.length > 0 && hasMutators(merged.files)) terminal.say(FUNCTIONS_DID_NOT_RUN);
  if (refused) terminal.say(`${counted(conflicts.length, 'conflict')}, so nothing was written.`);
  else if (shown.length > 0)
    terminal.say(
      `${counted(shown.length, 'open conflict')}. Edit the place, or use --resolve, which may be repeated.`,
    );
  if (terminal.json) terminal.document({ changed, conflicts: conflicts.map(conflictDocument), notes });
  else {
    for (const path of changed) terminal.print(`changed ${place(path)}`);
    if (changed.length === 0 && !refused) terminal.say(`Nothing changed.${hint}`);
  }
  return conflicts.length > 0 ? EXIT.conflicts : EXIT.ok;
}

/** Throws where a decision is about no conflict, or asks for what the conflict does not offer. */
function requireKnown(merged: Update): void {
  requireBoth(merged);
  const [stray] = merged.strayDecisions;
  if (stray === undefined) return;
  throw usageError(
    `--resolve ${stray}: there is no such conflict`,
    'Nothing was written. To list the ids, use --on-conflict fail.',
  );
}

/** The command as it was given, without what made it write nothing. */
function commandOf(call: Call): string {
  const options = [...DIRECTORIES, 'strategy'].flatMap((name) => {
    const typed = call.text(name);
    return typed === undefined ? [] : [`--${name}`, typed];
  });
  const settled = call.list('resolve').flatMap((typed) => ['--resolve', typed]);
  return ['portico', 'update', ...call.positionals, ...options, ...settled].map(shellWord).join(' ');
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

/** What `--resolve ID=SIDE` says of single conflicts. */
function decisionsOf(call: Call): ReadonlyMap<string, Choice> {
  return new Map(
    call.list('resolve').map((typed) => {
      const [, id = '', side] = /^([0-9a-f]{12})=(upstream|local|both)$/.exec(typed) ?? [];
      if (side === 'upstream' || side === 'local' || side === 'both') return [id, side] as const;
      throw usageError(
        `--resolve ${JSON.stringify(typed)} is not a conflict id and a side`,
        'Write the id of a conflict and a side, such as --resolve 0a1b2c3d4e5f=local; --on-conflict fail lists the ids.',
      );
    }),
  );
}

function sideOf(call: Call): Side {
  return call.text('on-conflict') === 'local' ? 'local' : 'upstream';
}
