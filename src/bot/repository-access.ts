/** Opens a repository for a job: its mirror with all that is kept beside it, its calls, and what its branches demand. */

import { requireLeases } from '../queue/fence.ts';
import type { Git, SiblingRepository } from '../reconcile/git-port.ts';
import type { Ports, RepositoryAccess, RepositoryRef } from '../reconcile/ports.ts';
import { siblingRepositoryFor } from '../reconcile/repository/sibling-repository.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { boundTo } from './bound-git.ts';
import { createBranchDemands } from './branch-demands.ts';
import type { Connections } from './connections.ts';
import type { Freshness } from './freshness.ts';
import { createOwnBranches } from './own-branches.ts';
import { createVerifiedCommits } from './verified-commits.ts';

export interface RepositoryAccessOptions {
  readonly connections: Pick<Connections, 'forge' | 'identity' | 'mirrors' | 'organizations'>;
  readonly content: Ports['content'];
  readonly freshness: Freshness;
  readonly tracing: Tracing;
  /** Commits are signed with a key of this installation. */
  readonly isSigned: boolean;
  /** Told of each push that the forge took. */
  readonly onPush?: ((repositoryId: number) => void) | undefined;
}

/** Throws what git and the forge answer. */
export function createRepositoryAccess({
  connections: { forge, identity, mirrors, organizations },
  content,
  freshness,
  tracing,
  isSigned,
  onPush,
}: RepositoryAccessOptions): Ports['open'] {
  const branchDemands = createBranchDemands(() => Date.now());
  const ownBranches = createOwnBranches();
  const verified = createVerifiedCommits(() => Date.now());

  async function organizationOf(
    ref: RepositoryRef,
    signal?: AbortSignal,
  ): Promise<{ readonly git: Git; readonly defaultBranch: string } | null> {
    const home = await organizations.organizationRepositoryOf(ref);
    if (home === null) return null;
    const git = freshness.wrap(home.id, boundTo(home.id, await mirrors.open(home, signal)));
    const [facts] = await Promise.all([
      freshness.wrapForge(home.id, forge.repository(home.installationId, home)).get(signal),
      git.fetch({}, signal),
    ]);
    return { git, defaultBranch: facts.defaultBranch };
  }

  async function siblingOf(
    ref: RepositoryRef,
    name: string,
    signal?: AbortSignal,
  ): Promise<SiblingRepository | null> {
    const found = await organizations.find(ref.installationId, name);
    return found === null
      ? null
      : siblingRepositoryFor(await open(ref, signal), await open(found, signal), signal);
  }

  async function open(ref: RepositoryRef, signal?: AbortSignal): Promise<RepositoryAccess> {
    await identity.learn(ref.installationId, signal);
    const mirror = boundTo(ref.id, await mirrors.open(ref, signal));
    const repository = freshness.wrapForge(ref.id, forge.repository(ref.installationId, ref));
    const plain = freshness.wrap(ref.id, traced(tracing, mirror));
    const demands = branchDemands.of(ref.id, repository);
    // With a key of its own every commit is signed already.
    const signed = isSigned ? plain : verified.wrap({ id: ref.id, forge: repository, demands }, plain);
    const own = ownBranches.wrap(ref.id, signed);
    const pushes: typeof own = {
      ...own,
      push: async (updates, asked) => {
        const answer = await own.push(updates, asked);
        if (answer.ok) onPush?.(ref.id);
        return answer;
      },
    };
    const git: Git = {
      ...pushes,
      organization: (asked) => organizationOf(ref, asked),
      siblingRepository: (name, asked) => siblingOf(ref, name, asked),
      content,
    };
    return { ref, git, forge: repository, demands };
  }

  return open;
}

/** The same git, whose talk with the forge is seen in traces, and which pushes only what this process may still write. */
function traced(tracing: Tracing, git: Git): Git {
  return {
    ...git,
    fetch: (options, signal) => tracing.span('git fetch', {}, () => git.fetch(options, signal)),
    push: async (updates, signal) => {
      await requireLeases();
      return tracing.span('git push', { 'portico.refs': updates.length }, () => git.push(updates, signal));
    },
  };
}
