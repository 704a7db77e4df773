/** Commits that GitHub verifies, where a repository demands it and no key is configured: the forge makes and signs them. */
import { PorticoError } from '../error.ts';
import type { Forge } from '../reconcile/forge/forge.ts';
import type { Git } from '../reconcile/git-port.ts';
import type { BranchDemands } from '../reconcile/ports.ts';

export interface VerifiedCommits {
  /** A repository's git whose commits are verified where its rules, or a refused push, ask for it. */
  wrap<Some extends Git>(repository: VerifiedRepository, git: Some): Some;
}

export interface VerifiedRepository {
  readonly id: number;
  readonly forge: Pick<Forge, 'get' | 'createCommit'>;
  readonly demands: BranchDemands;
}

/** How long what the rules of a repository say is good. */
const AGE_MS = 600_000;
const UNSIGNED = 'refs/portico/unsigned/';

/**
 * A commit that an App makes through the API is signed by GitHub where neither author nor committer is given
 * (https://docs.github.com/en/authentication/managing-commit-signature-verification/about-commit-signature-verification#signature-verification-for-bots,
 * peter-evans/create-pull-request#1241). Its tree is pushed by git, so that modes and bytes are kept: as a commit below
 * `refs/portico/unsigned/`, which no ruleset of branches or tags reaches, for the moment.
 */
export function createVerifiedCommits(now: () => number): VerifiedCommits {
  const answers = new Map<number, { readonly at: number; readonly demanded: boolean }>();

  const isDemanded = async (
    { id, forge, demands }: VerifiedRepository,
    signal?: AbortSignal,
  ): Promise<boolean> => {
    const known = answers.get(id);
    if (known !== undefined && (known.demanded || now() - known.at < AGE_MS)) return known.demanded;
    const { defaultBranch } = await forge.get(signal);
    // What the forge does not tell is found out by the first push that it refuses.
    const { requiresSignatures: demanded } = await demands(defaultBranch, {}, signal);
    answers.set(id, { at: now(), demanded });
    return demanded;
  };

  return {
    wrap: (repository, git) => ({
      ...git,
      commitTree: async (commit, signal) => {
        const oid = await git.commitTree(commit, signal);
        if (!(await isDemanded(repository, signal))) return oid;
        return signedByForge({ git, forge: repository.forge, commit, oid, signal });
      },
      push: async (updates, signal) => {
        const answer = await git.push(updates, signal);
        const unsigned = !answer.ok && answer.rejected.some(({ reason }) => reason === 'signatures');
        if (!unsigned || answers.get(repository.id)?.demanded === true) return answer;
        // A rule that was not seen: what is made the next time is verified.
        answers.set(repository.id, { at: now(), demanded: true });
        throw new PorticoError(
          'SIGNATURES_DEMANDED',
          'the forge requires verified commits; they are created again through the API',
          {
            blame: 'forge',
            retryAfter: 1,
          },
        );
      },
    }),
  };
}

async function signedByForge({
  git,
  forge,
  commit,
  oid,
  signal,
}: {
  readonly git: Git;
  readonly forge: VerifiedRepository['forge'];
  readonly commit: Parameters<Git['commitTree']>[0];
  readonly oid: string;
  readonly signal: AbortSignal | undefined;
}): Promise<string> {
  const ref = `${UNSIGNED}${oid}`;
  // What a process that was killed has left goes along.
  const left = [...(await git.refs(UNSIGNED, signal))].map(([name, { oid: at }]) => ({
    ref: name,
    to: null,
    expect: at,
  }));
  const placed = await git.push([{ ref, to: oid, expect: null }], signal);
  if (!placed.ok) return oid;
  const { tree, parents, message } = commit;
  const made = await forge.createCommit({ tree, parents, message }, signal);
  await git.fetch({ refspecs: [made] }, signal);
  await git.push([{ ref, to: null, expect: oid }], signal);
  for (const one of left) await git.push([one], signal);
  return made;
}
