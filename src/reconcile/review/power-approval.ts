import { mayGrow, type PackagePower, type PowerApproval } from '../check/power-check.ts';
import { namedApproval } from './config-approval.ts';

/**
 * Who of those that `publish.requireApprovalBy` names has approved this content; undefined where it names nobody or no
 * power grows. What a file that cannot be read permits is unknown, and counts as more. Roles and teams are asked of the forge at this moment, and what it does not answer grants nothing.
 */
export async function powerApproval({
  powers,
  ...counted
}: Parameters<typeof namedApproval>[1] & {
  readonly powers: readonly PackagePower[];
}): Promise<PowerApproval | undefined> {
  const grants = counted.snapshot.config.publish.requireApprovalBy ?? [];
  if (grants.length === 0 || !powers.some(({ diff }) => mayGrow(diff))) return undefined;
  return namedApproval(grants, counted);
}
