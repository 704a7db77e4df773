import type { Authorship } from './authors.ts';
import { removedPackages } from './known-users.ts';
import { approvalOfMerge } from './merged-approval.ts';
import type { Access, World } from './ports.ts';
import type { ProposalSnapshot } from './proposal-snapshot.ts';
import { publishedOf } from './published-proposal.ts';
import { publishedSummary, SUMMARY_MARKER, unapprovedSummary } from './summary.ts';
import { beneathProposal } from './unpublished-beneath.ts';

/** The comment of a merged proposal: which revisions it became, or that nobody approved it and none was made. */
export async function sumUpMerged(
  world: Pick<World, 'app' | 'seals' | 'now'>,
  access: Access,
  snapshot: ProposalSnapshot,
  signal?: AbortSignal,
): Promise<void> {
  const published = await publishedOf(access, snapshot, signal);
  const text =
    published === null
      ? await unpublished(world, access, snapshot, signal)
      : publishedSummary(
          published,
          removedPackages(snapshot).map(({ path }) => path),
        );
  if (text === undefined) return;
  await access.forge.upsertSticky(snapshot.pull.number, SUMMARY_MARKER, text, signal);
}

/** Undefined where its revisions are still to come. */
async function unpublished(
  world: Pick<World, 'app' | 'seals' | 'now'>,
  access: Access,
  { facts, config, pull, packages }: ProposalSnapshot,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  if (pull.mergeCommitSha === null || config.publish.directPushes === 'publish') return undefined;
  const oid = await access.git.resolve(pull.mergeCommitSha, signal);
  if (oid === null) return undefined;
  const commit = await access.git.commit(oid, signal);
  const left: string[] = [];
  for (const one of packages.filter(({ trees }) => trees.head !== null)) {
    const merged = { package: one, commit, pull };
    const before = { facts, config, base: commit.parents[0] ?? oid, merge: oid, packages: [one] };
    const beneath = (): Promise<Authorship> => beneathProposal(world, access, before, signal);
    const { approved } = await approvalOfMerge(world, access, facts, config, merged, beneath, signal);
    if (!approved) left.push(one.path);
  }
  return left.length === 0 ? undefined : unapprovedSummary(left);
}
