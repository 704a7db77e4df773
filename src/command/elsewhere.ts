/** A package of another repository, as a command names it: `acme/edge-7:web`, or `edge-7:web` where the owner is the same. */
import type { CommandLine } from './parse.ts';
import { commandNamed } from './table.ts';

/** What a command about another repository is about. */
export interface ElsewhereRequest {
  /** `owner/name`. */
  readonly repository: string;
  /** Everything after the verb, as it is written in that repository. */
  readonly rest: string;
}

/** The first word of the arguments, with the quotes that it may have. No path of a package and no revision has a colon. */
const NAMED = /^(["']?)(?:([\w.-]+)\/)?([\w.-]+):([^\s:"']+)\1(?=\s|$)/;

/** What a command is about where its first argument names a repository; undefined where it names none. */
export function elsewhereRequest(
  { verb, rest, problem }: CommandLine,
  here: { readonly owner: string },
): ElsewhereRequest | undefined {
  if (problem !== undefined || commandNamed(verb)?.reachesElsewhere !== true) return undefined;
  const [whole = '', , owner = here.owner, name, path] = NAMED.exec(rest) ?? [];
  if (name === undefined || path === undefined) return undefined;
  return { repository: `${owner}/${name}`, rest: `${path}${rest.slice(whole.length)}` };
}
