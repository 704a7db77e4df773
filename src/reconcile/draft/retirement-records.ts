/** Wishes to retire a revision, and what came of them: sealed comments in the issue where they were asked. */

import type { Retirement } from '../../command/command-state.ts';
import { askers } from '../../command/retirement.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { formatPackageAtRevision } from '../../revision/package-at-revision.ts';
import { pathInRepository, type RepositoryDirectory } from '../../revision/package-path.ts';
import type { RepositoryFacts } from '../forge/repository.ts';
import type { RepositoryAccess, Ports, RepositoryWork } from '../ports.ts';
import { answered } from '../repository/caller.ts';
import { loadRevisionRefs, publishedRefs, tagOf } from '../repository/package-revisions.ts';
import { sealedComment, sealedRecords } from '../seal/sealed-comment.ts';
import { code } from '../text/markdown-blocks.ts';

const KIND = 'retirement';

/** Whose wish a branch is that no person pushed. */
export const PORCH = 'porch';

/** How a comment begins that holds a record. */
export const RETIREMENT_MARKER = `<!-- portico:${KIND} `;

/** What a record in an issue says; a later one about the same request takes the place of an earlier. */
export interface RetirementRecord extends Retirement {
  readonly state: 'asked' | 'retired' | 'rejected';
  /** The comment that decided it. */
  readonly decidedIn?: number;
}

export interface RetirementsOf {
  readonly ports: Pick<Ports, 'app' | 'seals'>;
  readonly access: Pick<RepositoryAccess, 'forge' | 'git'>;
  readonly facts: Pick<RepositoryFacts, 'id'>;
  readonly config: Pick<RepositoryConfig, 'directory'>;
  readonly issue: number;
  /** Of the record that is decided now. */
  readonly comment: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The revisions that somebody asks in this issue to retire. One that lost its tag but has no word of it yet was left by
 * a process that died in the middle; so was one that is decided by `comment`, where that asks again.
 */
export async function openRetirements({
  ports,
  access: { forge, git },
  facts,
  config,
  issue,
  comment,
  signal,
}: RetirementsOf): Promise<Retirement[]> {
  const latest = new Map<number, RetirementRecord>();
  const comments = await forge.listComments(issue, signal);
  for (const found of await sealedRecords({
    ports,
    forge,
    kind: KIND,
    place: placeOf(facts, issue),
    comments,
    signal,
  })) {
    // The seal says that this is what we wrote.
    const record = found as RetirementRecord;
    latest.set(record.comment, record);
  }
  const refs = await loadRevisionRefs(git, signal);
  const open = [...latest.values()].filter(({ state, decidedIn, package: path, revision, tag }) => {
    if (state !== 'asked') return decidedIn === comment;
    const directory = directoryOf(config, path);
    const standing =
      tagOf(refs, directory, revision) ?? refs.ledger.get(publishedRefs(directory, revision).ledger);
    return standing?.oid === tag;
  });
  return Promise.all(
    open.map(async (wish) => {
      const gone = await goneAsker(forge, wish, signal);
      return gone === undefined ? wish : { ...wish, gone };
    }),
  );
}

/** A login that a wish holds alone and of which the forge names no account now. */
async function goneAsker(
  forge: RepositoryAccess['forge'],
  wish: Retirement,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  for (const { login, id } of askers(wish)) {
    if (id !== undefined || login === PORCH) continue;
    const member = await answered(forge.member(login, signal));
    if (member === undefined || member.id === null) return login;
  }
  return undefined;
}

/** Records in an issue that somebody asks to retire a revision. */
export async function recordWish(
  { ports, access, signal }: RepositoryWork,
  facts: RepositoryFacts,
  issue: number,
  wish: Retirement,
): Promise<void> {
  const name = code(formatPackageAtRevision({ path: wish.package, revision: wish.revision }));
  await record({
    ports,
    access,
    facts,
    issue,
    record: { ...wish, state: 'asked' },
    text: [
      `${[wish.login, ...(wish.others ?? [])].map(code).join(', ')} requested the retirement of ${name}: its tag and release will be removed, and its number is never reused.`,
      'Someone who may approve decides in this issue, with `/portico approve` or `/portico reject <why>`. Until then, or if the issue is closed, nothing changes.',
    ],
    signal,
  });
}

export async function record({
  ports,
  access: { forge },
  facts,
  issue,
  record,
  text,
  signal,
}: RepositoryWork & {
  readonly facts: RepositoryFacts;
  readonly issue: number;
  readonly record: RetirementRecord;
  readonly text: readonly string[];
}): Promise<void> {
  const sealed = sealedComment(KIND, placeOf(facts, issue), record, ports.seals);
  const marker = `${RETIREMENT_MARKER}${record.comment} -->`;
  await forge.upsertSticky(issue, marker, [...text, sealed].join('\n\n'), signal);
}

function placeOf({ id }: Pick<RepositoryFacts, 'id'>, issue: number): string {
  return `${id}#${issue}`;
}

export function directoryOf(
  { directory }: Pick<RepositoryConfig, 'directory'>,
  path: string,
): RepositoryDirectory {
  return pathInRepository(directory, path);
}
