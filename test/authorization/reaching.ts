/**
 * Oracle: branches and pull requests of a repository change by somebody with rights there, or as its own base
 * configuration says; and a command without the role for it, or an edited comment, changes nothing anywhere.
 */
import type { StageRepository } from '../reconcile/stage-repository.ts';
import type { AuditEvent, Commented, Moved } from './audit.ts';
import { lockAt, rulesAt, treeAt, type Rules } from './git-facts.ts';
import { packagesIn, type Finding } from './publishing.ts';
import { canWrite, mayAsAuthor, mayUse, verbOf } from './said.ts';
import type { World } from './world.ts';

/** What the bot did to branches of repositories in which nobody with rights did anything in that step. */
export async function reachHolds(world: World, step: number): Promise<Finding[]> {
  const events = world.audit.events.filter((one) => one.step === step);
  const findings: Finding[] = [];
  for (const repository of world.places.values()) {
    const repo = `${repository.owner}/${repository.repo}`;
    const here = events.filter((one) => one.repo === repo);
    if (here.some((one) => isRightful(one))) continue;
    for (const move of here) {
      if (move.kind !== 'moved' || !move.isBot || !move.ref.startsWith('refs/heads/')) continue;
      const problem = await ownOrders(world, repository, move);
      if (problem !== null) findings.push(problem);
    }
  }
  return findings;
}

/** A person who may write there did something there. */
function isRightful(one: AuditEvent): boolean {
  return !one.isBot && canWrite(one.role);
}

/** Null where the base configuration of the repository itself asks for what the bot did. */
async function ownOrders(world: World, repository: StageRepository, move: Moved): Promise<Finding | null> {
  const { repo, ref, before, after } = move;
  const main = await repository.head('main');
  const rules = await rulesAt(repository, main);
  const what = `${repo}: the bot moved ${ref.replace('refs/heads/', '')}, and nobody with rights there did anything`;
  if (rules === null) return { code: 'unregistered', what };
  // A branch that is over is removed.
  if (after === null) return null;
  const isMain = ref === 'refs/heads/main';
  if (isMain && !rules.automerges) return { code: 'merged-from-elsewhere', what };
  const base = isMain ? before! : main;
  for (const directory of new Set([
    ...(await packagesIn(repository, base)),
    ...(await packagesIn(repository, after)),
  ])) {
    const [was, is] = await Promise.all([
      treeAt(repository, base, directory),
      treeAt(repository, after, directory),
    ]);
    if (was === is) continue;
    const from = was === null ? null : await lockAt(repository, base, directory);
    const to = is === null ? null : await lockAt(repository, after, directory);
    if (was === null || is === null) {
      if (!(await isNamedBy(world, repository, rules))) {
        return { code: 'order-from-elsewhere', what: `${what}; ${directory} comes or goes` };
      }
    } else if (from === null || to === null || from.repo !== to.repo) {
      return { code: 'order-from-elsewhere', what: `${what}; ${directory} comes from another place` };
    } else if (
      to.revision < from.revision &&
      !(await isRetired(world, from)) &&
      // Proposed from elsewhere where that is agreed to, and never merged.
      (isMain || !(await isNamedBy(world, repository, rules)))
    ) {
      return {
        code: isMain ? 'downgrade-merged' : 'downgrade',
        what: `${what}; ${directory} goes from v${from.revision} to v${to.revision}`,
      };
    } else if (!rules.follows) return { code: 'order-from-elsewhere', what: `${what}; it follows nothing` };
  }
  return null;
}

/** The repository holds the documents itself, or names one that holds some. */
async function isNamedBy(
  world: World,
  repository: StageRepository,
  { controlledBy }: Rules,
): Promise<boolean> {
  const own = await repository.git('ls-tree', '-r', '--name-only', 'main', '.github/portico/');
  if (own !== '') return true;
  const others = [...world.places.values()].filter((one) => one !== repository);
  for (const one of others) {
    const documents = await one.git('ls-tree', '-r', '--name-only', 'main', '.github/portico/');
    if (documents !== '' && controlledBy.includes(`${one.owner}/${one.repo}`)) return true;
  }
  return false;
}

/** The revision that it is brought away from has no tag any more. */
async function isRetired(
  world: World,
  lock: { readonly repo: string; readonly directory: string; readonly revision: number },
): Promise<boolean> {
  const upstream = [...world.places.values()].find((one) => `${one.owner}/${one.repo}` === lock.repo);
  if (upstream === undefined) return false;
  return !(await upstream.tags()).has(`${lock.directory}/v${lock.revision}`);
}

/** Why nothing may change in a step, where one thing was done and it gives no right; null where it may. */
export async function powerless(world: World, step: number): Promise<string | null> {
  const people = world.audit.events.filter((one) => one.step === step && !one.isBot);
  const words = people.filter(({ kind }) => kind === 'commented' || kind === 'edited');
  if (people.length === 0 || words.length !== people.length) return null;
  for (const one of words) {
    if (one.kind === 'edited') continue;
    const command = one as Commented;
    const verb = verbOf(command);
    if (verb === null) continue;
    const repository = [...world.places.values()].find(({ owner, repo }) => `${owner}/${repo}` === one.repo);
    if (repository === undefined) return null;
    const rules = await rulesAt(repository, 'main');
    if (mayUse(one.role, verb, rules)) return null;
    if (one.role !== 'none' && mayAsAuthor(verb, rules)) return null;
  }
  return words.map(({ by, kind }) => `${by} ${kind}`).join(', ');
}

/** What the bot did in a step in which nothing may change. */
export function effectsOf(world: World, step: number): string[] {
  return world.audit.events.flatMap((one) => {
    if (one.step !== step || !one.isBot) return [];
    if (one.kind === 'moved') return [`moved ${one.ref} in ${one.repo}`];
    return one.kind === 'opened' ? [`opened #${one.pull} in ${one.repo}`] : [];
  });
}
