/** How the comment that sums a proposal up is found again, and a part of it. */
import { digestOf, shortDigest } from '../../revision/digest.ts';

export const SUMMARY_MARKER = '<!-- portico:summary -->';

/** Name of the part that says where the revision of a package went; whoever looks at the updates downstream writes it. */
export function downstreamPart(path: string): string {
  return `downstream ${shortDigest(digestOf('portico downstream 1', path))}`;
}
