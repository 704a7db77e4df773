/**
 * Approvals and rejections given by comment. The bot writes each as a comment of its own with a marker that only it
 * can make: a keyed hash over everything that it says, with repository and pull request, so that a copy elsewhere
 * or a changed word is no record. Whoever reads records also checks that the bot wrote the comment.
 */
import { canonicalJson, shortDigest } from '../revision/digest.ts';
import type { Keyring } from '../revision/keyring.ts';
import { isSealOf, sealOf } from '../revision/sealed-record.ts';
import { fence } from '../text/markdown.ts';

export interface ApprovalRecord {
  readonly kind: 'approval' | 'rejection';
  /** `owner/name`, or the forge's numeric id as text; the same when written and read. */
  readonly repository: string;
  readonly pull: number;
  readonly login: string;
  /** The forge's number of that account; absent in records that were written before it was kept. */
  readonly accountId?: number | undefined;
  /** Content digest; for a rejection '' where there is none yet. */
  readonly digest: string;
  readonly head: string;
  /** The comment with the command. */
  readonly commentId: number;
  /** When the command was given, ISO 8601. */
  readonly at: string;
}

/** The record names its pull request itself. */
const APPROVAL = { of: 'approval' } as const;

const MARKER = /^<!-- portico:record ([\w.!~*'()%-]{1,4000}) ([0-9a-f]{64}) -->$/m;

/** The body of the record comment; `why` is the reason of a rejection. */
export function formatRecord(record: ApprovalRecord, seals: Keyring, why = ''): string {
  const payload = encodeURIComponent(canonicalJson({ ...record, login: record.login.toWellFormed() }));
  const sentence =
    record.kind === 'approval'
      ? `\`${record.login}\` approved this content (\`${shortDigest(record.digest)}\`) at ${record.head.slice(0, 7)}.`
      : `\`${record.login}\` rejected this proposal at ${record.head.slice(0, 7)}; it is a draft again.${why === '' ? '' : `\n\n${fence(why, 'text')}`}`;
  return `${sentence}\n\n<!-- portico:record ${payload} ${sealOf(APPROVAL, payload, seals)} -->`;
}

/** The record in a comment's body, or undefined where there is none that is ours and for this pull request. */
export function parseRecord(
  body: string,
  here: { readonly repository: string; readonly pull: number },
  seals: Keyring,
): ApprovalRecord | undefined {
  const [, payload, mac] = MARKER.exec(body.replaceAll('\r\n', '\n')) ?? [];
  if (payload === undefined || mac === undefined || !isSealOf(APPROVAL, payload, mac, seals))
    return undefined;
  // The hash says that this is what formatRecord wrote.
  const record = JSON.parse(decodeURIComponent(payload)) as ApprovalRecord;
  return record.repository === here.repository && record.pull === here.pull ? record : undefined;
}

/**
 * What a comment says to record here, though no known key sealed it: it counts for nothing, and its giver is told why. A
 * rejection among them still voids what was approved before it.
 */
export function unsealedRecord(
  body: string,
  here: { readonly repository: string; readonly pull: number },
  seals: Keyring,
): Pick<ApprovalRecord, 'kind' | 'login'> | undefined {
  const [, payload, mac] = MARKER.exec(body.replaceAll('\r\n', '\n')) ?? [];
  if (payload === undefined || mac === undefined || isSealOf(APPROVAL, payload, mac, seals)) return undefined;
  const claim = claimIn(payload);
  const { kind, login } = claim;
  if (claim['repository'] !== here.repository || claim['pull'] !== here.pull) return undefined;
  if ((kind !== 'approval' && kind !== 'rejection') || typeof login !== 'string') return undefined;
  return /^[\w-]{1,100}(?:\[bot\])?$/.test(login) ? { kind, login } : undefined;
}

/** Anybody may have written it. */
function claimIn(payload: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(decodeURIComponent(payload));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
