/**
 * The one codec of what Portico seals: what each seal is over, and records as text with their seals. Two purposes never
 * sign the same text, so a seal that stands somewhere else, or for something else, is none.
 */
import type { Keyring } from './keyring.ts';

/**
 * The commit that a seal is of. Commits have the same id wherever they are pushed, and Portico works in repositories whose
 * owners trust each other with nothing: what it was made to commit in one says nothing in another.
 */
export interface SealedPlace {
  readonly repository: number;
  readonly tree: string;
  readonly parents: readonly string[];
}

/** What is sealed, and where it stands. */
export type SealedSubject =
  /** The last line of a commit's message: a command's or merge's record, an update's, or a render without a record. */
  | { readonly of: 'commit' | 'update' | 'render'; readonly at: SealedPlace }
  /** A line in a comment; `place` is what it is for, such as a repository and an issue. */
  | { readonly of: 'comment'; readonly kind: string; readonly place: string }
  /** The tag that a ref below `refs/portico/` stands at; the ref is given in full. */
  | { readonly of: 'ref'; readonly repository: number; readonly ref: string }
  /** The conflicts in the body of an update pull request. */
  | { readonly of: 'conflicts'; readonly pull: string }
  /** The merge of a pull request at this head. */
  | { readonly of: 'merge'; readonly repository: number; readonly pull: number; readonly head: string }
  /** An approval or rejection, which names its place itself. */
  | { readonly of: 'approval' };

/** The seal of a text: 64 hexadecimal digits. */
export function sealOf(subject: SealedSubject, text: string, seals: Keyring): string {
  return seals.sign(signedText(subject, text));
}

/** Whether this is a seal of this text there; the time it takes tells nothing of the seal wanted. */
export function isSealOf(subject: SealedSubject, text: string, seal: string, seals: Keyring): boolean {
  if (seals.verify(signedText(subject, text), seal)) return true;
  const earlier = earlierText(subject, text);
  return earlier !== undefined && seals.verify(earlier, seal);
}

/** A record as text without spaces. */
export function encodeRecord(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** A record that `encodeRecord` wrote; undefined for anything else. Anybody may have written it, unless its seal was checked. */
export function decodeRecord(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** A record and its seal, with a space between them. */
export function sealRecord(subject: SealedSubject, value: unknown, seals: Keyring): string {
  const text = encodeRecord(value);
  return `${text} ${sealOf(subject, text, seals)}`;
}

/** What `sealRecord` was given for the same subject; undefined for every other text. */
export function openRecord(subject: SealedSubject, sealed: string, seals: Keyring): unknown {
  const [text = '', seal = ''] = sealed.split(' ');
  return isSealOf(subject, text, seal, seals) ? decodeRecord(text) : undefined;
}

/** What is signed. Published: what is sealed on forges must stay readable. */
function signedText(subject: SealedSubject, text: string): string {
  switch (subject.of) {
    case 'commit':
    case 'update':
    case 'render': {
      const { repository, tree, parents } = subject.at;
      return `${subject.of}@${repository} ${text} ${tree} ${parents.join(' ')}`;
    }
    case 'comment':
      return `comment ${subject.kind} ${subject.place} ${text}`;
    case 'ref':
      return `ref ${subject.repository} ${subject.ref} ${text}`;
    case 'conflicts':
      return `conflicts ${subject.pull} ${text}`;
    case 'merge':
      return `merge ${subject.repository}#${subject.pull} ${subject.head} ${text}`;
    case 'approval':
      return `portico record 1\n${text}`;
  }
}

/** What earlier versions signed, where that was something else: commits without their repository. */
function earlierText(subject: SealedSubject, text: string): string | undefined {
  if (subject.of !== 'commit' && subject.of !== 'update' && subject.of !== 'render') return undefined;
  const { tree, parents } = subject.at;
  return [subject.of, ...(text === '' ? [] : [text]), tree, parents.join(' ')].join(' ');
}
