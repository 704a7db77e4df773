/** `portico migrate --from-porch FILE|DIR` */
import { PorticoError } from '../../error.ts';
import { EXIT, usageError } from '../exit-code.ts';
import type { Call } from '../verb.ts';
import { openMigrationPull } from './open-pull.ts';
import { planMigration, type PlannedRepository } from './plan.ts';
import { readPorchObjects } from './porch-objects.ts';
import { stageMigration, type StagedMigration } from './stage-migration.ts';

/** Shows what each repository would get, or pushes it. */
export async function migrate(call: Call): Promise<number> {
  const { terminal } = call;
  const from = call.text('from-porch');
  if (from === undefined)
    throw usageError(
      '--from-porch is missing',
      'Name a file with what kubectl printed. See: portico migrate --help',
    );
  const map = call.list('map').map(mappingOf);
  const objects = await readPorchObjects(call.path(from));
  const plan = planMigration(objects, { map, control: call.text('control') });
  if (plan.problems.length > 0) {
    throw new PorticoError('MIGRATION_REFUSED', 'the migration cannot be planned', {
      blame: 'user',
      hint: plan.problems.join('\n'),
    });
  }
  const done: Report[] = [];
  for (const repository of plan.repositories) {
    terminal.progress(repository.name);
    const staged = await stageMigration(repository, call.signal);
    try {
      done.push(await carryOut(call, repository, staged));
    } finally {
      await staged.dispose();
    }
  }
  terminal.progress('');
  const failed = done.some(({ state }) => state === 'failed');
  if (terminal.json) terminal.document({ ok: !failed, repositories: done });
  else for (const one of done) print(call, one);
  if (!terminal.json && !call.has('push')) terminal.print('Nothing was written. Run it again with --push.');
  return failed ? EXIT.failed : EXIT.ok;
}

interface Report {
  readonly repository: string;
  readonly address: string;
  readonly state: 'unchanged' | 'planned' | 'pushed' | 'failed';
  readonly difference: string;
  readonly notes: readonly string[];
  readonly pull?: string;
  readonly why?: string;
}

/** One that fails does not keep the others from being done. */
async function carryOut(call: Call, repository: PlannedRepository, staged: StagedMigration): Promise<Report> {
  const { name, address } = repository;
  const notes = [...repository.notes, ...staged.notes];
  const about = { repository: name, address, difference: staged.difference, notes };
  if (staged.problem !== undefined) return { ...about, state: 'failed', why: staged.problem };
  if (staged.difference === '') return { ...about, state: 'unchanged' };
  if (!call.has('push')) return { ...about, state: 'planned' };
  try {
    await staged.push();
    const token = process.env['FORGE_TOKEN'] ?? '';
    if (token === '')
      return {
        ...about,
        state: 'pushed',
        notes: [
          ...notes,
          'FORGE_TOKEN is not set: open the pull request of the branch portico/migration yourself.',
        ],
      };
    const pull = await openMigrationPull(
      { repository, base: staged.branch, token, api: call.text('api'), notes },
      call.signal,
    );
    return { ...about, state: 'pushed', pull };
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error;
    return { ...about, state: 'failed', why: `${error.message}. ${error.hint ?? ''}` };
  }
}

const STATES = {
  unchanged: 'nothing to do',
  planned: 'would get',
  pushed: 'pushed to portico/migration',
  failed: 'failed',
} as const;

function print(
  { terminal }: Call,
  { repository, address, state, difference, notes, pull, why }: Report,
): void {
  const colour = state === 'failed' ? 'red' : 'cyan';
  terminal.print(`${terminal.style(colour, repository)} (${address}): ${pull ?? STATES[state]}`);
  if (why !== undefined) terminal.print(`  ${why}`);
  for (const note of notes) terminal.print(`  - ${note}`);
  if (state === 'planned') terminal.print(difference.replaceAll(/^/gm, '  '));
}

function mappingOf(text: string): { from: string; to: string } {
  const at = text.indexOf('=');
  if (at > 0) return { from: text.slice(0, at), to: text.slice(at + 1) };
  throw usageError(
    `--map ${text} has no =`,
    'Write --map https://old.example.com/*=https://new.example.com/*',
  );
}
