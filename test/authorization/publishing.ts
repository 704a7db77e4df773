/** Oracle: what Portico merges and tags needs approvals of that content by people who are not its authors. */

import type { StageRepository } from '../reconcile/stage-repository.ts';
import { approversOf, type Merge } from './approvals.ts';
import type { Moved } from './audit.ts';
import { authorsOf } from './authors.ts';
import { lockAt, mergeBase, rulesAt, treeAt, type Rules } from './git-facts.ts';
import { commandsIn, mayUse, verbOf } from './said.ts';
import type { World } from './world.ts';

export interface Finding {
  readonly code: string;
  readonly what: string;
}

const MAIN = 'refs/heads/main';

/** Everything that was merged by the bot or became a revision since an event. */
export async function publishingHolds(world: World, since: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const repository of world.places.values()) {
    const repo = `${repository.owner}/${repository.repo}`;
    const moves = world.audit.of('moved', repo).filter(({ seq, isBot }) => seq >= since && isBot);
    for (const move of moves) {
      if (move.ref === MAIN) findings.push(...(await mergeHolds(world, repository, move)));
      else if (move.ref.startsWith('refs/tags/') && move.before === null) {
        findings.push(...(await tagHolds(world, repository, move)));
      } else if (move.ref.startsWith('refs/tags/') && move.after === null) {
        findings.push(...retirementHolds(world, repo, move));
      } else if (move.ref.startsWith('refs/tags/')) {
        findings.push({ code: 'tag-moved', what: `${repo} ${move.ref} was moved by the bot` });
      }
    }
  }
  return findings;
}

/** The pull request that the forge says was merged by that move; null for a push. */
async function mergedBy(repository: StageRepository, after: string): Promise<number | null> {
  const pulls = await repository.pulls('all');
  return pulls.find(({ merged, merge_commit_sha }) => merged && merge_commit_sha === after)?.number ?? null;
}

/** A merge by the bot: enough approvals, and somebody who may wanted it. */
async function mergeHolds(world: World, repository: StageRepository, move: Moved): Promise<Finding[]> {
  const repo = move.repo;
  const { before, after, seq } = move;
  if (before === null || after === null) return [];
  const pull = await mergedBy(repository, after);
  const what = `${repo}: the bot moved main to ${after.slice(0, 7)} (#${pull})`;
  const rules = await rulesAt(repository, before);
  if (rules === null) return [{ code: 'unregistered', what }];
  if (pull === null) return [{ code: 'bot-pushed-main', what }];
  if (await isOwnUpdate(world, repository, pull, rules, before, seq)) return [];
  const wanted = commandsIn(world.audit, repo, seq).some(
    (one) => one.pull === pull && verbOf(one) === 'publish' && mayUse(one.role, 'publish', rules),
  );
  const findings: Finding[] = [];
  if (!wanted && !isWantedByButton(world, pull, repo)) {
    findings.push({ code: 'merge-not-wanted', what: `${what}, and nobody who may asked for it` });
  }
  return [
    ...findings,
    ...(await approvalsHold(world, repository, { pull, seq, before, after }, rules, what)),
  ];
}

/** Somebody with write access had it merged when it may be: the forge then merges for that person. */
function isWantedByButton({ audit }: World, pull: number, repo: string): boolean {
  return audit.of('wrote', repo).some(({ what }) => what === `auto-merge ${pull}`);
}

/** An update that the repository's own configuration merges: forward, and nobody else's commits in it. */
async function isOwnUpdate(
  { audit }: World,
  repository: StageRepository,
  pull: number,
  rules: Rules,
  before: string,
  seq: number,
): Promise<boolean> {
  const repo = `${repository.owner}/${repository.repo}`;
  const opened = audit.of('opened', repo).find((one) => one.pull === pull);
  if (!rules.automerges || opened?.isBot !== true) return false;
  const pushes = audit
    .of('moved', repo)
    .filter((one) => one.ref === `refs/heads/${opened.headRef}` && one.seq < seq && one.after !== null);
  if (pushes.some(({ isBot }) => !isBot)) return false;
  const head = await repository.git('rev-parse', `refs/pull/${pull}/head`);
  const directories = await packagesIn(repository, head);
  for (const directory of directories) {
    const [was, is] = await Promise.all([
      lockAt(repository, before, directory),
      lockAt(repository, head, directory),
    ]);
    if (was === null || is === null) return (await treeAt(repository, before, directory)) !== null;
    if (was.repo !== is.repo || was.revision > is.revision) return false;
  }
  return true;
}

export async function packagesIn(repository: StageRepository, commit: string): Promise<string[]> {
  const text = await repository.git('ls-tree', '-r', '--name-only', commit);
  return text.split('\n').flatMap((path) => (path.endsWith('/Kptfile') ? [path.slice(0, -8)] : []));
}

async function approvalsHold(
  world: World,
  repository: StageRepository,
  merge: Merge,
  rules: Rules,
  what: string,
): Promise<Finding[]> {
  const { enough, why, byAuthors } = await count(world, repository, merge, rules);
  if (enough) return [];
  const code = byAuthors ? 'approved-by-author' : 'not-approved';
  return [{ code, what: `${what}, ${why}` }];
}

/** Approvals that count for a merge. */
async function count(
  { audit }: World,
  repository: StageRepository,
  merge: Merge,
  rules: Rules,
): Promise<{ enough: boolean; why: string; byAuthors: boolean; counted: Set<string> }> {
  const head = await repository.git('rev-parse', `refs/pull/${merge.pull}/head`);
  const authors = await authorsOf(audit, repository, { pull: merge.pull, head, base: merge.before });
  const { approvers, others } = await approversOf(audit, repository, merge, rules);
  const counted = new Set([...approvers].filter((login) => !authors.has(login)));
  const own = [...approvers].filter((login) => authors.has(login));
  return {
    enough: counted.size >= rules.approvals,
    byAuthors: approvers.size >= rules.approvals,
    counted,
    why: [
      `with ${counted.size} of ${rules.approvals} approvals`,
      ...own.map((login) => `${login} ${authors.get(login)}`),
      ...others,
    ].join('; '),
  };
}

/** A revision: brought by an approved proposal, or by what the configuration lets pass. */
async function tagHolds(world: World, repository: StageRepository, tag: Moved): Promise<Finding[]> {
  const { audit } = world;
  const name = tag.ref.replace('refs/tags/', '');
  const directory = name.split('/').slice(0, -1).join('/');
  const commit = await repository.git('rev-parse', `${tag.after}^{commit}`);
  const wanted = await treeAt(repository, commit, directory);
  const moves = audit.of('moved', tag.repo).filter(({ ref, seq }) => ref === MAIN && seq < tag.seq);
  let brought: Moved | undefined;
  for (const move of moves) {
    if (move.before === null || move.after === null) continue;
    const [was, is] = await Promise.all([
      treeAt(repository, move.before, directory),
      treeAt(repository, move.after, directory),
    ]);
    if (was !== is && is === wanted) brought = move;
  }
  const what = `${tag.repo}: ${name} was published`;
  // What stood there unapproved is published, too, where the configuration comes to say so.
  const now = await rulesAt(repository, moves.at(-1)?.after ?? (await repository.head('main')));
  const passes = (rules: Rules): boolean =>
    rules.directPushes === 'publish' || now?.directPushes === 'publish';
  // What was there before anybody did anything.
  if (brought === undefined) {
    return now?.directPushes === 'publish' ? [] : [{ code: 'tag-from-nowhere', what }];
  }
  const { before, after, seq } = brought as Moved & { before: string; after: string };
  const rules = await rulesAt(repository, before);
  if (rules === null) return [{ code: 'unregistered', what }];
  const pull = await mergedBy(repository, after);
  const said = await repository.git('cat-file', '-p', tag.after!);
  const named = [...said.matchAll(/^Approved-by: (.*)$/gm)].flatMap(([, login = '']) =>
    login === 'none' ? [] : [login],
  );
  const asked = /^Requested-by: (.*)$/m.exec(said)?.[1];
  const findings: Finding[] = [];
  if (pull === null) {
    if (rules.directPushes !== 'publish')
      findings.push({ code: 'push-published', what: `${what} by a push` });
    if (named.length > 0)
      findings.push({ code: 'false-approver', what: `${what}, approved by ${named.join(', ')}` });
    if (asked !== undefined && asked !== brought.by) {
      findings.push({ code: 'false-requester', what: `${what}; it names ${asked}, ${brought.by} pushed it` });
    }
    return findings;
  }
  const merge: Merge = { pull, seq, before, after, directory };
  const counted = await count(world, repository, merge, rules);
  const wrong = named.filter((login) => !counted.counted.has(login));
  if (wrong.length > 0) {
    const code = counted.byAuthors ? 'false-approver-author' : 'false-approver';
    findings.push({
      code,
      what: `${what} (#${pull}), naming ${wrong.join(', ')} as approver; ${counted.why}`,
    });
  }
  const isOwn = await isOwnUpdate(world, repository, pull, rules, before, seq);
  if (!counted.enough && !passes(rules) && !isOwn) {
    const how = brought.isBot ? 'by the bot' : 'by button';
    const code = `${counted.byAuthors ? 'approved-by-author' : 'unapproved-tag'}${brought.isBot ? '' : '-by-button'}`;
    findings.push({ code, what: `${what} (#${pull}, merged ${how}) ${counted.why}` });
  }
  if (counted.enough && !isOwn) {
    findings.push(
      ...(await earlierAuthors(world, repository, { merge, rules, what, name }, counted.counted)),
    );
  }
  return findings;
}

/** Whoever pushed to the branch what no revision holds yet is an author of the next one, too. */
async function earlierAuthors(
  { audit }: World,
  repository: StageRepository,
  { merge, rules, what, name }: { merge: Merge; rules: Rules; what: string; name: string },
  counted: ReadonlySet<string>,
): Promise<Finding[]> {
  const repo = `${repository.owner}/${repository.repo}`;
  const number = Number(/v(\d+)$/.exec(name)?.[1]);
  const previous = await repository
    .git('rev-parse', `refs/portico/published/${merge.directory}/v${number - 1}^{commit}`)
    .catch(() => null);
  const authors = new Set<string>();
  for (const move of audit.of('moved', repo)) {
    if (move.ref !== MAIN || move.isBot || move.seq >= merge.seq || move.before === null) continue;
    if (previous !== null && (await mergeBase(repository, move.after!, previous)) === move.after) continue;
    const [was, is] = await Promise.all([
      treeAt(repository, move.before, merge.directory!),
      treeAt(repository, move.after!, merge.directory!),
    ]);
    if (was !== is && (await mergedBy(repository, move.after!)) === null) authors.add(move.by);
  }
  const left = [...counted].filter((login) => !authors.has(login));
  if (left.length >= rules.approvals) return [];
  return [{ code: 'approved-by-earlier-author', what: `${what}, approved by who pushed it to main before` }];
}

/** A revision is taken away when one person with the right asks, and another approves. */
function retirementHolds({ audit }: World, repo: string, move: Moved): Finding[] {
  const name = move.ref.replace('refs/tags/', '');
  const revision = name.replace(/\/(v\d+)$/, '@$1');
  const commands = commandsIn(audit, repo, move.seq);
  const approvals = commands.filter((one) => verbOf(one) === 'approve' && one.role !== 'read');
  const asked = commands.filter((one) => verbOf(one) === 'delete' && one.body.includes(revision));
  const wished = audit
    .of('moved', repo)
    .filter(({ ref, isBot }) => ref === `refs/heads/deletionProposed/${name}` && !isBot);
  const wishers = [...asked, ...wished];
  const isByTwo = wishers.some(({ by }) => approvals.some((one) => one.by !== by));
  if (isByTwo) return [];
  const who = [...new Set(wishers.map(({ by }) => by))].join(', ');
  return [{ code: 'retired-by-one', what: `${repo}: ${name} was retired, asked for by ${who} alone` }];
}
