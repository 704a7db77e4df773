/**
 * Pure: what a merge that Portico made says about the publish that it was asked for. People read the trailers; Portico
 * believes the sealed line alone, which is bound to the pull request and its head: anybody can write a trailer.
 */
import type { Keyring } from '../../revision/keyring.ts';
import type { Bump } from '../../revision/numbering.ts';

export interface MergeRequestTrailers {
  readonly requestedBy?: string;
  /** Id of the comment or review with the command: a command that was carried out is known again by it. */
  readonly requestedIn?: number;
  readonly bump?: Bump;
}

/** The merge that a message is for. */
export interface MergePlace {
  readonly repository: number;
  readonly pull: number;
  /** The commit that is merged. */
  readonly head: string;
}

const SEALED = 'Portico-Merge: ';

export function mergeMessage(said: MergeRequestTrailers, place: MergePlace, seals: Keyring): string {
  const text = Buffer.from(JSON.stringify(said)).toString('base64url');
  return [
    ...(said.requestedBy === undefined ? [] : [`Requested-By: ${said.requestedBy}`]),
    ...(said.requestedIn === undefined ? [] : [`Requested-In: ${said.requestedIn}`]),
    ...(said.bump === undefined ? [] : [`Revision-Bump: ${said.bump}`]),
    `${SEALED}${text} ${seals.sign(sealed(text, place))}`,
  ].join('\n');
}

/** Reads back what Portico wrote for this very merge; undefined for every other message. */
export function mergeRequestOf(
  message: string,
  place: MergePlace,
  seals: Keyring,
): MergeRequestTrailers | undefined {
  for (const line of message.split('\n')) {
    if (!line.startsWith(SEALED)) continue;
    const [text = '', seal = ''] = line.slice(SEALED.length).trim().split(' ');
    if (!seals.verify(sealed(text, place), seal)) continue;
    // The seal says that this is what mergeMessage wrote.
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as MergeRequestTrailers;
  }
  return undefined;
}

function sealed(text: string, { repository, pull, head }: MergePlace): string {
  return `merge ${repository}#${pull} ${head} ${text}`;
}
