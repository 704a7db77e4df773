/** Who may have approved and published what, by what people said and nobody took back. */
import type { Model, Said } from './model.ts';

/** Who approved this content of a pull request; what was said in the last step may have come before or after. */
export function approversOf(model: Model, pull: number, content: string): ReadonlySet<string> {
  const here = model.said.filter((one) => one.pull === pull);
  const approvals = here.filter(
    (one) => isApproval(one) && one.contents.includes(content) && !isVoid(one, here, model.step),
  );
  const nobody = ['rita', model.askers.get(pull) ?? 'alice'];
  return new Set(approvals.map(({ by }) => by).filter((by) => !nobody.includes(by)));
}

/** Whether somebody, or this person, was heard to publish it. */
export function mayPublish(model: Model, pull: number, by?: string): boolean {
  return model.said.some(
    (one) => one.what === 'publish' && one.pull === pull && (by === undefined || one.by === by),
  );
}

function isApproval({ what }: Said): boolean {
  return what === 'approve' || what === 'review';
}

/** A dismissal takes back the reviews of a person, as on the forge, and not what the person said in a comment. */
function isVoid(approval: Said, here: readonly Said[], now: number): boolean {
  return here.some(
    ({ what, by, step }) =>
      step > approval.step &&
      step < now &&
      (what === 'reject' ||
        (by === approval.by && what === 'request changes') ||
        (by === approval.by && what === 'dismissed' && approval.what === 'review')),
  );
}
