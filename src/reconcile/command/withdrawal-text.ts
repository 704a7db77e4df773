/** Pure: what a rollback does to each downstream, as the answer to the command says it. */
import { repositoryName } from '../../catalog/catalog.ts';
import { counted, isOrAre } from '../../text/counted.ts';
import { table } from '../../text/markdown.ts';
import { upstreamText } from '../../text/revision-text.ts';
import type { Withdrawal, WithdrawalPlan } from '../rollout/way-back.ts';
import { code } from '../text/markdown-blocks.ts';

/** Rows of one answer; what is left out is counted. */
const MAX_ROWS = 100;

/** False where all who have the revision were at no other, and none is older: then there is nothing to order. */
export function changesSomething({ moves, unread }: Pick<WithdrawalPlan, 'moves' | 'unread'>): boolean {
  return (
    moves.length === 0 || unread > 0 || moves.some(({ what, to }) => what !== 'stays' || to !== undefined)
  );
}

/** `plan`: nothing is done yet. `order`: it is ordered. `refusal`: why nothing is. */
export function withdrawalText(
  rollout: string,
  plans: readonly WithdrawalPlan[],
  how: 'plan' | 'order' | 'refusal',
): string {
  const rows = plans.flatMap((plan) =>
    plan.moves.map((move) => [
      code(placeOf(plan)),
      code(move.name),
      upstreamText(plan.revision, code),
      wordsOf(move),
    ]),
  );
  const left = Math.max(0, rows.length - MAX_ROWS) + plans.reduce((sum, { unread }) => sum + unread, 0);
  const nobody = plans.filter(({ moves, unread }) => moves.length + unread === 0);
  return [
    introduction(rollout, plans, how),
    ...(rows.length === 0
      ? []
      : [table(['package', 'downstream', 'rolls back from', 'goes to'], rows.slice(0, MAX_ROWS))]),
    ...(left > 0
      ? [`${left} more ${isOrAre(left)} not listed; each goes to the revision that it was at before.`]
      : []),
    ...byCommand(plans),
    ...nobody.map(
      (plan) =>
        `No downstream that may be named here has ${code(`${placeOf(plan)}@${plan.revision}`)}: it is no longer proposed.`,
    ),
  ].join('\n\n');
}

/** How the downstreams go back to which the rollout proposes nothing, as one example of them. */
function byCommand(plans: readonly WithdrawalPlan[]): string[] {
  const moves = plans.flatMap((one) => one.moves).filter(({ what }) => what === 'own' || what === 'stays');
  const some = moves.find(({ to }) => to !== undefined);
  if (some === undefined) {
    return moves.length === 0
      ? []
      : ['A downstream that stays gets the next revision. No older one is there that it could go back to.'];
  }
  return [
    `To roll back one that does not go back by itself, comment \`/portico update ${some.name}@${some.to}\` here after the rollback. It opens a rollback pull request there.`,
  ];
}

function introduction(
  rollout: string,
  plans: readonly WithdrawalPlan[],
  how: 'plan' | 'order' | 'refusal',
): string {
  if (how === 'refusal') return 'No downstream has a revision to go back to.';
  if (how === 'plan') {
    const [{ governed, revision } = { governed: { path: '' }, revision: '' }] = plans;
    return `**Nothing is done yet.** The rollout ${code(rollout)} governs ${counted(plans.length, 'package')}. To roll all of this back, write \`/portico rollout rollback ${rollout} confirm\`; of one package, \`/portico rollout rollback ${rollout} ${governed.path}@${revision}\`.`;
  }
  const done = plans.filter(changesSomething).map((plan) => code(`${placeOf(plan)}@${plan.revision}`));
  return `The rollout ${code(rollout)} rolls back ${done.join(', ')}. A person must merge each rollback pull request: \`/portico bulk publish --rollout=${rollout}\` here plans all that are open.`;
}

function placeOf({ governed: { upstream, path } }: WithdrawalPlan): string {
  return `${repositoryName(upstream)}:${path}`;
}

function wordsOf({ what, to = '' }: Withdrawal): string {
  switch (what) {
    case 'back':
      return upstreamText(to, code);
    case 'stays':
      return 'stays: it was at no other revision';
    case 'own':
      return `its own configuration decides; it was at ${upstreamText(to, code)}`;
    case 'close':
      return 'its open update is closed';
  }
}
