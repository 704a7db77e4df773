import { z } from 'zod';

import { configuration, copyOf, webPackage } from './loop-package.ts';
import type { LoopSeen } from './loop-seen.ts';
import { notPlayed } from './not-played.ts';
import type { Portico, RunningPortico } from './portico.ts';
import type { Files, TrialRepository } from './repository.ts';
import { answerText } from './rest.ts';
import { mergePatiently } from './rows/merging.ts';
import type { TrialStage } from './stage.ts';

const runs = z.object({
  check_runs: z.array(z.object({ id: z.number(), name: z.string(), conclusion: z.string().nullable() })),
});
const pulls = z.array(z.object({ number: z.number(), head: z.object({ ref: z.string(), sha: z.string() }) }));
const comments = z.array(z.object({ id: z.number(), updated_at: z.string() }));

const MAIN = 'refs/heads/main';
const V1 = 'refs/tags/web/v1';
const LEDGER = 'refs/portico/published/web/v1';

/**
 * A draft, its proposal, checks, a merge, the revision; a second one, and its update downstream. Portico runs as it
 * does on a server, looks at these two repositories alone, and hears of nothing by webhook: every step ends with a
 * look at everything.
 */
export async function playLoop(stage: TrialStage, program: Portico): Promise<LoopSeen> {
  const { blueprints, deployments, signal } = stage;
  await commitToMain(blueprints, {
    '.github/portico.yaml': configuration(
      'blueprints',
      `sharing: { to: [${deployments.owner}/${deployments.name}] }`,
    ),
  });
  await commitToMain(deployments, {
    '.github/portico.yaml': configuration(
      'deployments',
      `sharing: { from: [${blueprints.owner}/${blueprints.name}] }`,
    ),
  });
  await using portico = await program.start([blueprints, deployments], signal);
  await portico.look(signal);
  const checks = await publish(stage, portico, 'v1', webPackage('1.0.0'));
  const refs = await blueprints.mirror.remoteRefs([`${V1}*`, LEDGER], signal);
  const tag = refs.get(V1);
  const release = await stage.rest.ask('GET', `${blueprints.path}/releases/tags/web/v1`);
  const revision = {
    tag: tag !== undefined,
    annotated: tag !== undefined && tag.oid !== tag.commit,
    ledger: refs.has(LEDGER),
    release: release.status === 200,
  };
  if (tag === undefined) return { checks, revision, update: null, rewritten: [] };
  await commitToMain(deployments, copyOf(webPackage('1.0.0'), blueprints.url, tag.commit));
  await portico.look(signal);
  await publish(stage, portico, 'v2', webPackage('2.0.0'));
  await portico.look(signal);
  const open = await stage.rest.read(pulls, 'GET', `${deployments.path}/pulls?state=open&per_page=100`);
  const update = open.find(({ head }) => head.ref.startsWith('portico/update/'));
  const before = await stateOf(stage);
  await portico.look(signal);
  const after = await stateOf(stage);
  const rewritten = [...new Set([...before.keys(), ...after.keys()])].filter(
    (what) => before.get(what) !== after.get(what),
  );
  return { checks, revision, update: update === undefined ? null : `from ${update.head.ref}`, rewritten };
}

/** Proposes the package and merges it when it was looked at. Answers its checks. */
async function publish(
  stage: TrialStage,
  portico: RunningPortico,
  workspace: string,
  files: Files,
): Promise<LoopSeen['checks']> {
  const { blueprints, rest, signal } = stage;
  const branch = `drafts/web/${workspace}`;
  await blueprints.branch(branch, files);
  const pull = await blueprints.open(branch);
  await portico.look(signal);
  const { check_runs } = await rest.read(
    runs,
    'GET',
    `${blueprints.path}/commits/${pull.head}/check-runs?per_page=100`,
  );
  const { answer } = await mergePatiently(stage, pull);
  if (answer.status !== 200) throw notPlayed(`the proposal was not merged: ${answerText(answer)}`);
  await portico.look(signal);
  return check_runs.map(({ name, conclusion }) => [name, conclusion] as const);
}

async function commitToMain(repository: TrialRepository, files: Files): Promise<void> {
  const commit = await repository.commit([await repository.main()], files);
  await repository.move({ [MAIN]: commit });
}

/** Everything that Portico could write in both repositories. */
async function stateOf({ blueprints, deployments, rest, signal }: TrialStage): Promise<Map<string, string>> {
  const state = new Map<string, string>();
  for (const { mirror, path, name } of [blueprints, deployments]) {
    const refs = await mirror.remoteRefs([], signal);
    for (const [ref, { oid }] of refs) {
      // The forge makes these in its own time.
      if (!ref.startsWith('refs/pull/') && ref !== 'HEAD') state.set(`${name} ${ref}`, oid);
    }
    const newest = await rest.read(comments, 'GET', `${path}/issues/comments?per_page=100`);
    for (const { id, updated_at } of newest) state.set(`${name} comment ${id}`, updated_at);
    for (const { head } of await rest.read(pulls, 'GET', `${path}/pulls?state=open&per_page=100`)) {
      const address = `${path}/commits/${head.sha}/check-runs?per_page=100`;
      const { check_runs } = await rest.read(runs, 'GET', address);
      for (const run of check_runs) state.set(`${name} check ${run.name}`, `${run.id} ${run.conclusion}`);
    }
  }
  return state;
}
