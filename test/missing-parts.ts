/** Reports at the end of a run which tests were skipped, for want of what, and how to get it. */
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

import { table } from '../src/cli/text-table.ts';
import { PARTS, RUNS } from './parts.ts';

const ALL = [...PARTS, ...RUNS];

/** With PORTICO_COMPLETE=1 a run fails if the machine lacks anything: no one reads the table of a green run. */
const COMPLETE = process.env['PORTICO_COMPLETE'] === '1';

export class MissingParts implements Reporter {
  /** With `-t`, tests that do not match are skipped on purpose. */
  private isFiltered = false;

  onInit(vitest: Vitest): void {
    this.isFiltered = vitest.config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.isFiltered) return;
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')]);
    const byPart = Map.groupBy(skipped, reasonOf);
    const unexplained = byPart.get(undefined) ?? [];
    byPart.delete(undefined);
    const rows = ALL.filter(({ name }) => byPart.has(name)).map(
      ({ name, get }) => [name, String(byPart.get(name)!.length), get] as const,
    );
    if (rows.length > 0)
      process.stdout.write(`\n${table([['skipped without', 'tests', 'how to run them'], ...rows])}\n`);
    const lacks = PARTS.filter(({ name }) => byPart.has(name)).map(({ name }) => name);
    const faults = [
      ...unexplained.map(
        (test) =>
          `${test.module.moduleId}: "${test.fullName}" is skipped without a reason. Give it a tag of test/parts.ts.`,
      ),
      ...(COMPLETE && lacks.length > 0
        ? [`PORTICO_COMPLETE=1, and this machine lacks ${lacks.join(', ')}.`]
        : []),
    ];
    if (faults.length === 0) return;
    process.stdout.write(`\n${faults.join('\n')}\n`);
    process.exitCode = 1;
  }
}

/**
 * Returns the part for want of which a test was skipped: a missing one, or one that is here and does not work, such as a podman that cannot
 * start containers. A lack of the machine counts before another run: with the part, the test would still be left to that run.
 */
function reasonOf(test: TestCase): string | undefined {
  const needed = ALL.filter(({ name }) => test.tags.includes(name));
  return (needed.find(({ isHere }) => !isHere()) ?? needed[0])?.name;
}
