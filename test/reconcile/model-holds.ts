/** What must hold of a repository whenever all is quiet, read from git and the forge. */
import { contentOf, FIELDS, isRendered } from './model-content.ts';
import { approversOf, mayPublish } from './model-said.ts';
import { count, failure, type Model, type Real } from './model.ts';
import type { StageRepository } from './stage-repository.ts';

interface Ref {
  readonly name: string;
  readonly object: string;
  readonly commit: string;
  /** Its trailers. */
  readonly said: string;
}

type Fail = (what: string) => never;

/** `isLast`: also what was found right before is looked at again. DESIGN: exactly one tag each revision, numbers that only grow, nothing published unapproved, no commit lost. */
export async function holds(model: Model, real: Real, isLast = false): Promise<void> {
  const fail = (what: string): never => {
    throw failure(what, model);
  };
  const refs = await readRefs(real.repo);
  const ledger = refs.filter(({ name }) => !name.startsWith('refs/tags/'));
  tagsHold(model, refs, ledger, fail);
  await pullsHold(model, real, ledger, isLast, fail);
  for (const revision of ledger) {
    if (!isLast && model.seen.has(revision.name)) continue;
    await revisionHolds(model, real, revision, ledger, fail);
    model.seen.add(revision.name);
  }

  const [tree, content] = await Promise.all([treeOf(real.repo, 'main'), contentOf(real.repo, 'main')]);
  const newest = newestOf(ledger);
  if (tree !== null && newest !== undefined && !model.pushed) {
    const published = await treeOf(real.repo, newest.commit);
    if (published !== tree) fail('the package on main is not its newest revision, and nobody pushed it');
  }
  model.main = { tree, content };
  if (isLast) await releasesHold(model, real, fail);
}

function tagsHold(model: Model, refs: readonly Ref[], ledger: readonly Ref[], fail: Fail): void {
  const tags = refs.filter((ref) => ref.name.startsWith('refs/tags/'));
  for (const { name, object } of tags) {
    const before = model.tags.get(name);
    if (before !== undefined && before !== object) fail(`${name} was moved`);
    if (model.retired.has(name)) fail(`${name} was retired and is back`);
    model.tags.set(name, object);
  }
  for (const [name, object] of model.tags) {
    const kept = ledger.find((one) => one.name === inLedger(name));
    if (kept?.object !== object) fail(`${name} is not in the ledger`);
  }
  const gone = [...model.tags.keys()].filter(
    (name) => !model.retired.has(name) && !tags.some((tag) => tag.name === name),
  );
  if (gone.length > 0 && !model.mayRetire) fail(`${gone.join(', ')} is gone, and nobody approved that`);
  if (gone.length > 1 && model.alone) fail(`${gone.join(', ')} are gone by one approval`);
  for (const name of gone) {
    model.retired.add(name);
    count(model, '= retired', 'done');
  }
  const numbers = ledger.map(({ name }) => number(name)).sort((a, b) => a - b);
  if (numbers.some((one, at) => one !== at + 1)) fail(`numbers are ${numbers.join(', ')}`);
  if (new Set(ledger.map(({ commit }) => commit)).size !== ledger.length) fail('two revisions of one commit');
}

async function pullsHold(
  model: Model,
  real: Real,
  ledger: readonly Ref[],
  isLast: boolean,
  fail: Fail,
): Promise<void> {
  const { repo, stage } = real;
  const { data } = await stage.as('alice').rest.pulls.list({ ...repo.where, state: 'all', per_page: 100 });
  const merged = data.filter((one) => one.merged_at !== null && !model.over.has(one.number));
  // One after the other: what main was before is known of one merge only.
  if (merged.length > 1) model.alone = false;
  for (const { number: pull, state, merged_at: mergedAt, head } of data) {
    const of = ledger.filter(({ said }) => said.includes(`Proposal: #${pull}\n`));
    if (of.length > 1) fail(`#${pull} became ${of.length} revisions`);
    const isMerged = mergedAt !== null;
    if (!isMerged && of.length > 0) fail(`#${pull} is not merged and became a revision`);
    const branch = model.branches.get(head.ref);
    if (branch?.pull === pull && state === 'open' && branch.commits.length > 0) {
      const missing = await repo.git('rev-list', '--count', ...branch.commits, `^${head.sha}`);
      if (missing !== '0') fail(`${missing} commits of a person are gone from ${head.ref}`);
    }
    if (state === 'open') await repo.sticky(pull);
    if (!isMerged || (!isLast && model.over.has(pull))) continue;
    await repo.sticky(pull);
    if (model.over.has(pull)) continue;
    await mergeHolds(model, real, pull, of, ledger, fail);
    model.over.add(pull);
    // What is published is what stands there, unless somebody pushed at the same moment.
    if (!model.pushedMeanwhile) model.pushed &&= of.length === 0;
    if (branch?.pull === pull) {
      // What is merged is done: the workspace starts anew.
      delete branch.pull;
      branch.commits = [];
      branch.fields = new Set();
      await repo.git('update-ref', '-d', `refs/heads/${head.ref}`);
    }
  }
}

/** A pull request was merged in the last step: it is the one right revision, approved where Portico merged it. */
async function mergeHolds(
  model: Model,
  real: Real,
  pull: number,
  of: readonly Ref[],
  ledger: readonly Ref[],
  fail: Fail,
): Promise<void> {
  const { repo } = real;
  const { merged_by: by, merge_commit_sha: merge, head } = await repo.pull(pull);
  const [tree, content, proposed] = await Promise.all([
    treeOf(repo, merge!),
    contentOf(repo, merge!),
    contentOf(repo, head.sha),
  ]);
  const isOurs = by?.type === 'Bot';
  const how = isOurs ? 'command' : model.auto.has(pull) ? 'auto-merge' : 'button';
  count(model, `= merged by ${how}`, 'done');
  if (tree === null) count(model, '= deleted', 'done');
  if (isOurs) {
    const approvers = approversOf(model, pull, String(proposed));
    if (approvers.size === 0) fail(`#${pull} was published, and nobody approved "${proposed}"`);
    if (!mayPublish(model, pull)) fail(`#${pull} was published, and nobody said so`);
    if (of.some(({ said }) => !said.includes('Approved-by: '))) fail(`#${pull} was published unapproved`);
  }
  for (const { commit, said, name } of of) {
    if ((await treeOf(repo, commit)) !== tree) fail(`${name} is not what #${pull} brought`);
    const named = [...said.matchAll(/^Approved-by: (.*)$/gm)].map(([, login = '']) => login);
    const approvers = approversOf(model, pull, String(proposed));
    if (approvers.size === 0) fail(`${name} was published by the ${how}, and nobody approved "${proposed}"`);
    const wrong = named.filter((login) => !approvers.has(login));
    if (wrong.length > 0) fail(`${name} names ${wrong.join(', ')}, who did not approve "${proposed}"`);
    const asked = /^Requested-by: (.*)$/m.exec(said)?.[1];
    if (isOurs && !mayPublish(model, pull, asked)) fail(`${name} names ${asked}, who did not publish it`);
    if (!isOurs && asked !== by?.login) fail(`${name} names ${asked}, and ${by?.login} merged it`);
  }
  if (!model.alone || model.main === undefined) return;
  // What stood there before is published or was flagged; a merge that changes it is a revision.
  const before = newestOf(ledger.filter((one) => !of.includes(one) && number(one.name) < numberOf(of)));
  const published = before === undefined ? null : await treeOf(repo, before.commit);
  const isNew = tree !== null && tree !== published && tree !== model.main.tree;
  // What others merge without the approvals that it needs is flagged, and stands on main like a push.
  const green = (await repo.checks(head.sha)).get('portico')?.conclusion === 'success';
  const approved = isOurs || (green && (await treeOf(repo, head.sha)) === tree);
  if (isNew && of.length === 0 && approved) fail(`#${pull} was merged and is no revision`);
  if (isNew && of.length === 0) model.pushed = true;
  if (!isNew && of.length > 0 && tree === published) fail(`#${pull} changed nothing and became a revision`);
  const fields = model.branches.get(head.ref)?.fields;
  if (model.branches.get(head.ref)?.pull !== pull || fields === null || fields === undefined) return;
  const was = model.main.content;
  if (was === null || content === null) return;
  const lost = FIELDS.filter(
    (field, at) => was.split(' ')[at] !== content.split(' ')[at] && !fields.has(field),
  );
  if (lost.length > 0) fail(`#${pull} changed ${lost.join(', ')} from "${was}" to "${content}" unasked`);
}

/** What a revision says of itself is so. */
async function revisionHolds(
  model: Model,
  { repo }: Real,
  { name, commit, said }: Ref,
  ledger: readonly Ref[],
  fail: Fail,
): Promise<void> {
  const of = name.replace('refs/portico/published/', '');
  if (!said.includes(`Package: web\n`) || !said.includes(`Revision: v${number(name)}\n`)) {
    fail(`${of} says "${said}"`);
  }
  if (!(await isRendered(repo, commit))) fail(`${of} is not rendered`);
  const from = /^Restored-From: (.*)$/m.exec(said)?.[1];
  if (from === undefined) return;
  if (!model.seen.has(name)) count(model, '= restored', 'done');
  const source = ledger.find((one) => one.name === `refs/portico/published/web/${from}`);
  if (source === undefined || number(source.name) >= number(name)) fail(`${of} is restored from ${from}`);
  const [is, was] = await Promise.all([treeOf(repo, commit), treeOf(repo, source.commit)]);
  if (is !== was) fail(`${of} says that it is ${from}, and its content is another`);
}

/** Each revision has its release, and what was retired has none. */
async function releasesHold(model: Model, { repo }: Real, fail: Fail): Promise<void> {
  const releases = await repo.releases();
  const tags = [...(await repo.tags()).keys()].sort();
  if (releases.join() !== tags.join()) fail(`releases are ${releases.join()}, tags ${tags.join()}`);
  for (const tag of model.retired) {
    if (tags.includes(tag.replace('refs/tags/', ''))) fail(`${tag} was retired and is there`);
  }
}

async function readRefs(repo: StageRepository): Promise<Ref[]> {
  const lines = await repo.git(
    'for-each-ref',
    '--format=%(refname)%09%(objectname)%09%(*objectname)%09%(contents:trailers:unfold,only)%00',
    'refs/tags',
    'refs/portico/published',
  );
  return lines
    .split('\0')
    .map((line) => line.replace(/^\n/, '').split('\t'))
    .filter(([name = '']) => name !== '')
    .map(([name = '', object = '', commit = '', said = '']) => ({ name, object, commit, said }));
}

function inLedger(tag: string): string {
  return tag.replace('refs/tags/', 'refs/portico/published/');
}

function newestOf(refs: readonly Ref[]): Ref | undefined {
  return refs.toSorted((a, b) => number(a.name) - number(b.name)).at(-1);
}

function number(name: string): number {
  return Number(/\/v(\d+)$/.exec(name)?.[1]);
}

function numberOf([first]: readonly Ref[]): number {
  return first === undefined ? Infinity : number(first.name);
}

async function treeOf(repo: StageRepository, commit: string): Promise<string | null> {
  const line = await repo.git('ls-tree', commit, 'web');
  return /^040000 tree ([0-9a-f]+)/.exec(line)?.[1] ?? null;
}
