/** The commit of an update that comes without a pull request: one, on the head of the registered branch. */
import type { DownstreamRepository } from '../downstream/downstream.ts';
import type { Ports } from '../ports.ts';
import { loadGuardrails } from '../render/guardrails.ts';
import { changesBetween } from '../render/proposal-render.ts';
import { isDecidingFile } from '../repository/deciding-file.ts';
import { ownedFiles } from '../review/code-owners.ts';
import { botPerson } from '../seal/bot-commit.ts';
import { readSealed, sealedMessage, type UpdateRecord } from '../seal/update-record.ts';
import { code } from '../text/markdown-blocks.ts';
import { planTitle } from './body.ts';
import type { UpdatePlan } from './plan.ts';
import { comparableRecord, recordOf, type PackageUpdate, type Staged } from './push.ts';

/** It gets a pull request; `why` is a clause that says what for. */
export interface ByPull {
  readonly kind: 'pull';
  readonly why: string;
}

/**
 * Makes the commit, or finds it on its branch; where a person has to look at what it brings, says why. It takes the place of an
 * earlier one of its kind: nobody has seen that, and no commit of anybody else is on the branch.
 */
export async function stageDirect(
  ports: Ports,
  plan: UpdatePlan,
  brought: readonly PackageUpdate[],
  signal?: AbortSignal,
): Promise<Staged | ByPull> {
  const { downstreamRepository, head, branch } = plan;
  const { access, base, config } = downstreamRepository;
  const { git } = access;
  const open = brought.flatMap(({ conflicts, following = [] }) => [...conflicts, ...following]);
  if (open.length > 0)
    return { kind: 'pull', why: 'upstream and this repository changed the same fields or lines' };
  const changes = new Map(
    brought.flatMap(({ down, local, files }) => [...changesBetween(down.directory, local, files)]),
  );
  const why = await whyLookedAt(downstreamRepository, [...changes.keys()], signal);
  if (why !== null) return { kind: 'pull', why };
  const tree = await git.writeTree(base.oid, changes, signal);
  const guardrails = await loadGuardrails({ git, config, base: base.oid, now: ports.now(), signal });
  const direct = {
    from: brought.map(({ down }) => (down.exists ? (down.upstream.current ?? null) : null)),
    rules: guardrails.digest,
  };
  const record = { ...recordOf(ports, plan, brought), direct };
  const parents = [base.oid];
  if (head !== null && isDirectOn(plan)) {
    const commit = await git.commit(head, signal);
    const known = readSealed(commit, ports.seals);
    const isSame = known !== null && contentOf(known) === contentOf(record);
    if (isSame && tree === commit.tree) return { kind: 'staged', push: null, brought };
  }
  const place = { repository: git.repository, tree, parents };
  const message = sealedMessage(planTitle(plan, brought), record, place, ports.seals);
  const to = await git.commitTree({ tree, parents, message, committer: botPerson(ports.app) }, signal);
  return { kind: 'staged', push: { ref: `refs/heads/${branch}`, to, expect: head }, brought };
}

/** What has to be the same for a commit to stay, and the checks at it to count. */
function contentOf(record: UpdateRecord): string {
  return JSON.stringify([comparableRecord(record), record.direct]);
}

/** True where the branch holds such a commit, made for the head of the registered branch as it is. */
export function isDirectOn({ head, before, downstreamRepository: { base } }: UpdatePlan): boolean {
  return isDirect({ head, before }) && before?.commit.parents[0] === base.oid;
}

/** True where the branch holds such a commit, and nothing above it. */
export function isDirect({ head, before }: Pick<UpdatePlan, 'head' | 'before'>): boolean {
  return head !== null && before?.commit.oid === head && before.record.direct !== undefined;
}

async function whyLookedAt(
  { access: { git }, facts, base, config }: DownstreamRepository,
  paths: readonly string[],
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const deciding = paths.find((path) => isDecidingFile(config, facts.fullName, path));
  if (deciding !== undefined) return `it changes ${code(deciding)}, which decides what is let in here`;
  const [owned] = await ownedFiles({ git }, { config, base: base.oid }, paths, signal);
  return owned === undefined ? null : `CODEOWNERS names owners of ${code(owned.path)}`;
}
