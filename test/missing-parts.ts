/** Reports at the end of a run which tests were skipped, for want of what, and how to get it. */
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

import { PARTS, RUNS } from './parts.ts';

const ALL = [...PARTS, ...RUNS];

/** With PORTICO_COMPLETE=1 a run fails if the machine lacks anything: nobody would read the table of a run that is green. */
const COMPLETE = process.env['PORTICO_COMPLETE'] === '1';

export class MissingParts implements Reporter {
  /** With `-t`, whatever does not match is skipped, and nobody asked for it. */
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
      process.stdout.write(table([['skipped without', 'tests', 'how to run them'], ...rows]));
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

/** A lack of the machine counts before another run: with the part, the test would still be left to that run. */
function reasonOf(test: TestCase): string | undefined {
  const tags = test.tags;
  return ALL.find(({ name, isHere }) => tags.includes(name) && !isHere())?.name;
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
  return `\n${lines.join('\n')}\n\n`;
}
