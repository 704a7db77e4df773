/** Commits that commands add to the branch of a pull request: a function's changes, subpackages, another upstream. */

import { shown } from '../../command/arguments.ts';
import type { DraftChange } from '../../command/draft-request.ts';
import { refuse } from '../../command/refusal.ts';
import type { PackageFiles } from '../../package/package.ts';
import { pathInRepository } from '../../revision/package-path.ts';
import { counted } from '../../text/counted.ts';
import { cutLines, shorten } from '../../text/cut-text.ts';
import { joined } from '../../text/joined.ts';
import type { FileChanges } from '../git-port.ts';
import { proposalJob } from '../jobs.ts';
import type { RepositoryWork } from '../ports.ts';
import { runtimeFor } from '../render/foreign-functions.ts';
import { loadGuardrails } from '../render/guardrails.ts';
import { changesBetween } from '../render/proposal-render.ts';
import { filesAt } from '../repository/package-files.ts';
import { loadRevisionRefs } from '../repository/package-revisions.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import type { CommandRecord } from '../seal/commit-seal.ts';
import { refusedBy } from '../step-outcome.ts';
import type { CommandRequest, StepOutcome } from '../step-outcome.ts';
import { code, fenced } from '../text/markdown-blocks.ts';
import { NO_NOTES } from '../text/merge-notes.ts';
import { commitByCommand, madeBefore } from './command-commit.ts';
import { clonedFiles, newFiles, unpublishedIn } from './content.ts';
import { rebasedPackage, type RebasedPackage } from './rebased-package.ts';
import type { DraftSetting } from './setting.ts';

/**
 * Adds the commit to the head that was read, by compare-and-swap. What changes nothing is said and not committed; a
 * command that was interrupted after its push is known by the record of its commit.
 */
export async function changeDraft({
  ports,
  access,
  snapshot,
  asked,
  change,
  signal,
}: RepositoryWork & {
  readonly snapshot: ProposalSnapshot;
  readonly asked: CommandRequest;
  readonly change: DraftChange;
}): Promise<StepOutcome> {
  const { git } = access;
  const { pull, config, facts, head, mergeBase } = snapshot;
  const directory = pathInRepository(config.directory, change.package);
  const setting: DraftSetting = {
    world: ports,
    access,
    asked,
    asker: { login: asked.login, id: asked.accountId, facts, config },
    base: head.oid,
    directory,
    refs: await loadRevisionRefs(git, signal),
  };
  const look = async (reply: string): Promise<StepOutcome> => {
    await ports.enqueue(proposalJob(access.ref, pull.number));
    return { kind: 'done', reply };
  };
  const range = { from: mergeBase, to: head.oid };
  const before = await madeBefore({ ports, git, range, asked, directory, signal });
  if (before !== null) return look(`Committed as ${before.commit.oid.slice(0, 7)}.`);
  const local = await filesAt(git, head.oid, directory, signal);
  if (!local.has('Kptfile')) {
    return refusedBy(
      refuse(
        'no-such-package',
        `this branch has no package ${shown(change.package)}`,
        'Name an existing one.',
      ),
    );
  }
  const made = await changed({ setting, snapshot, change, local, signal });
  if ('outcome' in made) return made.outcome;
  if (made.changes.size === 0) return { kind: 'done', reply: `${made.title}: no changes.` };
  const by = { directory, by: asked.login, byId: asked.accountId, comment: asked.id, index: asked.index };
  const problem = await commitByCommand(
    ports,
    git,
    {
      branch: pull.headRef,
      parent: head.oid,
      expect: head.oid,
      changes: made.changes,
      title: made.title,
      trailers: made.trailers,
      record: { ...made.record, ...by },
    },
    signal,
  );
  if (problem !== null) return problem;
  const files = counted(made.changes.size, 'file');
  return look(joined([`${made.title}: ${files} changed.`, made.note ?? ''], ' '));
}

type Bare<Record> = Record extends unknown ? Omit<Record, 'directory' | 'by' | 'comment' | 'index'> : never;

type Made =
  | {
      readonly changes: FileChanges;
      readonly title: string;
      readonly trailers: readonly string[];
      readonly record: Bare<CommandRecord>;
      readonly note?: string;
    }
  | { readonly outcome: StepOutcome };

async function changed({
  setting,
  snapshot,
  change,
  local,
  signal,
}: {
  readonly setting: DraftSetting;
  readonly snapshot: ProposalSnapshot;
  readonly change: DraftChange;
  readonly local: PackageFiles;
  readonly signal: AbortSignal | undefined;
}): Promise<Made> {
  switch (change.kind) {
    case 'eval':
      return evaluated({ setting, snapshot, change, local, signal });
    case 'subpackage':
      return withSubpackage(setting, change, local, signal);
    case 'remove-subpackage':
      return withoutSubpackage(setting, change, local);
    case 'rebase': {
      const { directory } = setting;
      const input = { directory, base: snapshot.base, local };
      const rebased = await rebasedPackage(setting, input, change.upstream, signal);
      if ('kind' in rebased) return { outcome: refusedBy(rebased) };
      return {
        changes: changesBetween(directory, local, rebased.files),
        ...rebased.commitText(change.package),
        record: rebased.record,
        note: rebaseNote(rebased),
      };
    }
  }
}

/** Where what the merge of a rebase tells is listed; '' where it tells nothing. */
function rebaseNote({ conflicts, record: { notes = NO_NOTES } }: RebasedPackage): string {
  const decided = notes.listed.length + notes.more;
  return joined(
    [
      conflicts.length === 0
        ? ''
        : `${counted(conflicts.length, 'conflict')}: the check portico/conflicts lists the fields that both sides changed.`,
      decided === 0
        ? ''
        : `The merge decided ${decided === 1 ? 'one thing' : `${decided} things`} automatically; see Portico's comment.`,
    ],
    ' ',
  );
}

async function evaluated({
  setting: { world: ports, access, directory },
  snapshot,
  change: { image, values, package: path },
  local,
  signal,
}: {
  readonly setting: DraftSetting;
  readonly snapshot: ProposalSnapshot;
  readonly change: Extract<DraftChange, { kind: 'eval' }>;
  readonly local: PackageFiles;
  readonly signal: AbortSignal | undefined;
}): Promise<Made> {
  // Which functions may run beside the built-in ones, the base branch says.
  const loaded = await loadGuardrails({
    git: access.git,
    config: snapshot.config,
    base: snapshot.base,
    now: null,
    signal,
  });
  const result = await ports.content.evaluate({
    files: local,
    runtime: runtimeFor(ports.runtime, loaded, snapshot),
    spec: { image, configMap: Object.fromEntries(values) },
    includeMetaResources: true,
    ...(signal && { signal }),
  });
  const [run] = result.runs;
  if (run?.refused !== undefined) {
    return { outcome: { kind: 'refused', message: run.refused.message, hint: run.refused.hint } };
  }
  if (!result.ok) {
    const notes = [
      ...result.findings.map(
        ({ severity, message, file }) => `${severity}: ${file === undefined ? '' : `${file}: `}${message}`,
      ),
      run?.stderr ?? '',
      result.problem?.message ?? '',
    ].filter((text) => text !== '');
    const message = `${code(image)} failed on ${code(path)}, so nothing was committed.`;
    return {
      outcome: {
        kind: 'failed',
        message: `${message}\n\n${fenced(cutLines(notes.join('\n'), { characters: 4000 }))}\n\n`,
        hint: '',
      },
    };
  }
  const given = [...values].map(([key, value]) => `${key}=${value}`).join(' ');
  const findingCount = result.findings.filter(({ severity }) => severity !== 'info').length;
  return {
    changes: changesBetween(directory, local, result.files),
    title: `Run ${image} on ${path}`,
    trailers: [`Function: ${image}${given === '' ? '' : ` ${shorten(given, 500)}`}`],
    record: { kind: 'change', what: 'eval' },
    ...(findingCount > 0 && {
      note: `The function reported ${counted(findingCount, 'finding')}.`,
    }),
  };
}

async function withSubpackage(
  setting: DraftSetting,
  { below, source, package: path }: Extract<DraftChange, { kind: 'subpackage' }>,
  local: PackageFiles,
  signal: AbortSignal | undefined,
): Promise<Made> {
  const directory = pathInRepository(setting.directory, below);
  const there = filesBelow(local, below);
  const taken = source.kind === 'clone' ? there.size > 0 : there.has('Kptfile');
  const nested = [...there.keys()].some((file) => file.endsWith('/Kptfile'));
  if (taken || nested || local.has(below)) {
    const message = `${shown(`${path}/${below}`)} already exists`;
    return {
      outcome: refusedBy(refuse('package-exists', message, 'Choose another path, or remove it first.')),
    };
  }
  const made =
    source.kind === 'init'
      ? { files: newFiles({ asker: setting.asker, directory }, source, there), name: '' }
      : await clonedFiles({ ...setting, asker: inner(setting) }, directory, source, signal);
  if ('kind' in made) return { outcome: refusedBy(made) };
  const place = `${path}/${below}`;
  return {
    changes: changesBetween(directory, there, new Map([...there, ...made.files])),
    title: source.kind === 'init' ? `New subpackage ${place}` : `Clone ${made.name} as ${place}`,
    trailers: source.kind === 'init' ? [] : [`Cloned-From: ${made.name}`],
    record: { kind: 'change', what: source.kind, ...unpublishedIn(made) },
  };
}

/** The package context of a deployment is the package's; its subpackages keep their own. */
function inner({ asker }: DraftSetting): DraftSetting['asker'] {
  return { ...asker, config: { ...asker.config, deployment: false } };
}

function withoutSubpackage(
  { directory }: DraftSetting,
  { below, package: path }: Extract<DraftChange, { kind: 'remove-subpackage' }>,
  local: PackageFiles,
): Made {
  const there = filesBelow(local, below);
  if (!there.has('Kptfile')) {
    const message = `this branch has no subpackage ${shown(`${path}/${below}`)}`;
    return { outcome: refusedBy(refuse('no-such-package', message, 'Name an existing one.')) };
  }
  return {
    changes: changesBetween(pathInRepository(directory, below), there, new Map()),
    title: `Remove subpackage ${path}/${below}`,
    trailers: [],
    record: { kind: 'change', what: 'remove' },
  };
}

function filesBelow(files: PackageFiles, below: string): PackageFiles {
  const prefix = `${below}/`;
  return new Map(
    [...files]
      .filter(([path]) => path.startsWith(prefix))
      .map(([path, file]) => [path.slice(prefix.length), file]),
  );
}
