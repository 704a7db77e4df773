/**
 * Approvals and rejections given by comment. The bot writes each as a comment of its own with a marker that only it
 * can make: a keyed hash over everything that it says, with repository and pull request, so that a copy elsewhere
 * or a changed word is no record.
 */

export interface ApprovalRecord {
  readonly kind: 'approval' | 'rejection';
  /** `owner/name`, or the forge's numeric id as text; the same when written and read. */
  readonly repository: string;
  readonly pull: number;
  readonly login: string;
  /** Content digest; for a rejection '' where there is none yet. */
  readonly digest: string;
  readonly head: string;
  /** The comment with the command. */
  readonly commentId: number;
  /** When the command was given, ISO 8601. */
  readonly at: string;
}

/** Keyed hash of a text, as hexadecimal digits; the key never leaves the caller. */
export type Hmac = (text: string) => string;

/** The body of the record comment; `why` is the reason of a rejection. */
export function formatRecord(_record: ApprovalRecord, _hmac: Hmac, _why?: string): string {
  return '';
}

/** The record in a comment's body, or undefined where there is none that is ours and for this pull request. */
export function parseRecord(
  _body: string,
  _here: { readonly repository: string; readonly pull: number },
  _hmac: Hmac,
): ApprovalRecord | undefined {
  return undefined;
}
