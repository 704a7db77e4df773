/** Pure: what a merge that Portico made says about the publish that it was asked for, as trailers of its message. */
import type { Bump } from '../revision/numbering.ts';

export interface MergeRequestTrailers {
  readonly requestedBy?: string;
  /** Id of the comment or review with the command: a command that was carried out is known again by it. */
  readonly requestedIn?: number;
  readonly bump?: Bump;
}

const BUMPS: readonly Bump[] = ['major', 'minor', 'patch'];

export function mergeMessage(said: MergeRequestTrailers): string {
  return [
    ...(said.requestedBy === undefined ? [] : [`Requested-By: ${said.requestedBy}`]),
    ...(said.requestedIn === undefined ? [] : [`Requested-In: ${said.requestedIn}`]),
    ...(said.bump === undefined ? [] : [`Revision-Bump: ${said.bump}`]),
  ].join('\n');
}

/** Reads them back; words that are not ours are passed over. */
export function mergeRequestOf(message: string): MergeRequestTrailers {
  const value = (key: string): string | undefined =>
    message
      .split('\n')
      .findLast((line) => line.startsWith(`${key}: `))
      ?.slice(key.length + 2)
      .trim();
  const requestedBy = value('Requested-By');
  const requestedIn = Number(value('Requested-In') ?? Number.NaN);
  const bump = BUMPS.find((known) => known === value('Revision-Bump'));
  return {
    ...(requestedBy !== undefined && /^[A-Za-z0-9-]{1,39}$/.test(requestedBy) && { requestedBy }),
    ...(Number.isSafeInteger(requestedIn) && { requestedIn }),
    ...(bump !== undefined && { bump }),
  };
}
