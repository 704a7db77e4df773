/** What must hold of a repository whenever all is quiet, read from git and the forge. */
import type { Model, Real } from './model.ts';
import type { StageRepository } from './stage-repository.ts';

interface Ref {
  readonly name: string;
  readonly object: string;
  readonly commit: string;
  /** Its trailers. */
  readonly said: string;
}

/** `isLast`: also what was found right before is looked at again. DESIGN: exactly one tag each revision, numbers that only grow, nothing published unapproved, no commit lost. */
export async function holds(model: Model, real: Real, isLast = false): Promise<void> {
  const fail = (what: string): never => {
    throw new Error(`${what}\nafter:\n- ${model.done.join('\n- ')}`);
  };
  const refs = await readRefs(real.repo);
  const ledger = refs.filter(({ name }) => !name.startsWith('refs/tags/'));
  tagsHold(model, refs, ledger, fail);
  await pullsHold(model, real, ledger, isLast, fail);

  const tree = await treeOf(real.repo, 'main');
  const newest = ledger.toSorted((a, b) => number(a.name) - number(b.name)).at(-1);
  if (tree !== null && newest !== undefined && !model.pushed) {
    const published = await treeOf(real.repo, newest.commit);
    if (published !== tree) fail('the package on main is not its newest revision, and nobody pushed it');
  }
}

type Fail = (what: string) => never;

function tagsHold(model: Model, refs: readonly Ref[], ledger: readonly Ref[], fail: Fail): void {
  for (const { name, object } of refs.filter((ref) => ref.name.startsWith('refs/tags/'))) {
    const before = model.tags.get(name);
    if (before !== undefined && before !== object) fail(`${name} was moved`);
    model.tags.set(name, object);
    const kept = ledger.find((one) => one.name === inLedger(name));
    if (kept?.object !== object) fail(`${name} is not in the ledger`);
  }
  for (const name of model.tags.keys()) {
    const kept = ledger.some((one) => one.name === inLedger(name));
    if (!kept) fail(`${name} is gone, and the ledger does not know it`);
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
    if (isMerged && (isLast || !model.over.has(pull))) {
      await repo.sticky(pull);
      const { merged_by: by } = await repo.pull(pull);
      const unapproved = of.some(({ said }) => !said.includes('Approved-by: '));
      if (by?.type === 'Bot' && unapproved) fail(`#${pull} was published unapproved`);
      if (model.over.has(pull)) continue;
      model.over.add(pull);
      // What is published is what stands there, unless somebody pushed at the same moment.
      if (!model.pushedMeanwhile) model.pushed &&= of.length === 0;
      if (branch?.pull === pull) {
        // What is merged is done: the workspace starts anew.
        delete branch.pull;
        branch.commits = [];
        await repo.git('update-ref', '-d', `refs/heads/${head.ref}`);
      }
    }
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

function number(name: string): number {
  return Number(/\/v(\d+)$/.exec(name)?.[1]);
}

async function treeOf(repo: StageRepository, commit: string): Promise<string | null> {
  const line = await repo.git('ls-tree', commit, 'web');
  return /^040000 tree ([0-9a-f]+)/.exec(line)?.[1] ?? null;
}
