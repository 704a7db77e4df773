/** Oracle: an update that a repository's own configuration asks for is held back by nobody without the right to. */
import { lockAt, rulesAt } from './git-facts.ts';
import type { Finding } from './publishing.ts';
import { commandsIn, mayUse, verbOf } from './said.ts';
import type { World } from './world.ts';

/** Commands that hold updates back or let them go on. */
const HOLDS_BACK = new Set([
  'pause',
  'resume',
  'rollout',
  'update',
  'rebase',
  'rollback',
  'reject',
  'cancel',
]);

/** At the end of a schedule: what is due in shop is there, proposed or merged. */
export async function nothingWithheld(world: World): Promise<Finding[]> {
  if (!world.places.has('shop')) return [];
  const [lib, shop] = [world.at('lib'), world.at('shop')];
  const [source, target] = [lib, shop].map(({ owner, repo }) => `${owner}/${repo}`) as [string, string];
  const [theirs, ours] = await Promise.all([rulesAt(lib, 'main'), rulesAt(shop, 'main')]);
  if (ours?.follows !== true || theirs === null) return [];
  if (ours.controlledBy.length + theirs.controlledBy.length > 0) return [];
  if (!theirs.sharesTo.includes(target) || !ours.sharesFrom.includes(source)) return [];
  const isHeldBack = [source, target].some((repo) =>
    commandsIn(world.audit, repo).some(
      (one) =>
        HOLDS_BACK.has(verbOf(one) ?? '') && mayUse(one.role, verbOf(one)!, repo === source ? theirs : ours),
    ),
  );
  const isEdited = world.audit
    .of('moved', target)
    .some(({ ref, isBot }) => !isBot && ref !== 'refs/heads/main' && ref.startsWith('refs/heads/'));
  if (isHeldBack || isEdited) return [];
  const lock = await lockAt(shop, 'main', 'base');
  const revisions = [...(await lib.tags()).keys()].flatMap((tag) => /^base\/v(\d+)$/.exec(tag)?.[1] ?? []);
  const newest = Math.max(0, ...revisions.map(Number));
  if (lock === null || lock.revision >= newest) return [];
  for (const { user, head } of await shop.pulls()) {
    if (user.type === 'Bot' && (await lockAt(shop, head.sha, 'base'))?.revision === newest) return [];
  }
  return [
    { code: 'withheld', what: `${target} is not offered v${newest} of base, and nobody who may said so` },
  ];
}
