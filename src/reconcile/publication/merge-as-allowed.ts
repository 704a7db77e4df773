import type { RepositoryConfig } from '../../config/repository-config.ts';
import { PorticoError } from '../../error.ts';
import type { MergeAnswer } from '../forge/merging.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { mergeMessage, type MergeRequestTrailers } from './merge-message.ts';
import { recordPublishRequest } from './publish-request.ts';

export interface Merging extends Pick<ProposalSnapshot, 'facts' | 'pull'> {
  readonly config: RepositoryConfig;
  /** First line of the commit's message; without it, the forge's own. */
  readonly title?: string;
}

const METHODS = ['merge', 'squash', 'rebase'] as const;

/**
 * Merges by the method of the configuration, or by the first that the repository allows. What was asked for goes into
 * the commit's message; a rebase has none, so there it is recorded first. Where the forge needs a moment, it is asked again
 * while what was checked still stands.
 */
export async function mergeAsAllowed({
  ports,
  access,
  merging: { facts, pull, config, title },
  checked: { sha, isStillValid },
  request,
  signal,
}: {
  readonly ports: Pick<Ports, 'seals'>;
  readonly access: RepositoryAccess;
  readonly merging: Merging;
  readonly checked: {
    readonly sha: string;
    readonly isStillValid: (signal?: AbortSignal) => Promise<boolean>;
  };
  readonly request: MergeRequestTrailers;
  readonly signal?: AbortSignal | undefined;
}): Promise<MergeAnswer> {
  // Whoever may bypass the ruleset would merge past its queue (akuity/kargo#5405), so it is asked for first.
  if (await hasMergeQueue(access, pull.baseRef, signal)) {
    return { ok: false, reason: 'queue', message: 'the branch has a merge queue' };
  }
  const { mergeMethod } = config.publish;
  const methods = mergeMethod === undefined ? METHODS : [mergeMethod];
  let answer: MergeAnswer | undefined;
  for (const method of methods) {
    if (method === 'rebase') {
      await recordPublishRequest({ ports, access, facts, pull, request: { ...request, head: sha }, signal });
    }
    const place = { repository: facts.id, pull: pull.number, head: sha };
    const trailers = mergeMessage(request, place, ports.seals);
    const words =
      title === undefined ? { message: `${pull.title}\n\n${trailers}` } : { title, message: trailers };
    const message = method === 'rebase' ? {} : words;
    answer = await access.forge.mergePull(pull.number, { sha, method, isStillValid, ...message }, signal);
    if (answer.ok || !isOtherMethod(answer)) return answer;
  }
  return answer ?? { ok: false, reason: 'blocked', message: 'no method of merging is left' };
}

/** A forge that does not tell has none, or says so when it refuses. */
async function hasMergeQueue(
  { forge }: RepositoryAccess,
  branch: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    return (await forge.branchRules(branch, signal)).mergeQueue;
  } catch (error) {
    const untold = error instanceof PorticoError && UNTOLD.has(error.code);
    if (untold) return false;
    throw error;
  }
}

const UNTOLD: ReadonlySet<string> = new Set(['FORGE_NOT_FOUND', 'FORGE_FORBIDDEN']);

/** "Merge commits are not allowed on this repository", and a rule that asks for a linear history. */
function isOtherMethod(answer: Exclude<MergeAnswer, { ok: true }>): boolean {
  return (
    answer.reason === 'blocked' &&
    /(merges?|commits?) (are|is) not allowed|must not contain merge commits|linear history/i.test(
      answer.message,
    )
  );
}
