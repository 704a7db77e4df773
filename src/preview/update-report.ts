/** What a reviewer is shown of a change of rendered packages: the difference, permissions, CRDs, and what becomes of objects. */

import { diffMarkdown } from '../package/diff/diff-markdown.ts';
import type { PackageDiff } from '../package/diff/diff-types.ts';
import { diffPackages } from '../package/diff/diff.ts';
import type { PackageFiles } from '../package/package.ts';
import { crdUpgrades } from '../package/power/crd-safety.ts';
import { issueWords } from '../package/power/crd-words.ts';
import { diffPower } from '../package/power/power-diff.ts';
import { powerMarkdown } from '../package/power/power-markdown.ts';
import type { PowerDiff } from '../package/power/power-types.ts';
import { cell, codeSpan } from '../text/markdown.ts';
import { executedResources } from './executed.ts';
import { pivotFailures, pivotOf, type PackageStates, type Pivot, type PivotObject } from './pivot.ts';

export interface UpdateReport {
  readonly diff: PackageDiff;
  readonly power: PowerDiff;
  readonly definitions: { readonly errors: readonly string[]; readonly warnings: readonly string[] };
  readonly pivot: Pivot;
  /** Why it must not be merged as it is: CRDs that go, or break what is stored. */
  readonly failures: readonly string[];
}

/** Reports on one package; `others` are the packages beside it, for objects that change hands between them and it. */
export function updateReport(
  path: string,
  before: PackageFiles,
  after: PackageFiles,
  others: readonly PackageStates[] = [],
): UpdateReport {
  const own = pivotOf([{ path, before, after }]);
  const pivot =
    others.length === 0 ? own : withOwners(own, path, pivotOf([{ path, before, after }, ...others]));
  const definitions = definitionIssues(before, after);
  const failures = [...pivotFailures(pivot), ...definitions.errors];
  return { diff: diffPackages(before, after), power: diffPower(before, after), definitions, pivot, failures };
}

/** What goes to another package, or comes from one, is neither removed nor added. */
function withOwners(own: Pivot, path: string, all: Pivot): Pivot {
  const moved = all.moved.filter((one) => one.package === path || one.from === path);
  const names = new Set(moved.map(({ object }) => object));
  const stays = ({ object }: PivotObject): boolean => !names.has(object);
  return {
    ...own,
    moved,
    recreated: [...own.recreated, ...all.recreated.filter((one) => !stays(one))],
    contested: all.contested.filter(({ packages }) => packages.includes(path)),
    added: own.added.filter(stays),
    removed: own.removed.filter(stays),
  };
}

function definitionIssues(before: PackageFiles, after: PackageFiles): UpdateReport['definitions'] {
  const [old, now] = [before, after].map((files) =>
    executedResources(files).resources.filter(({ kind }) => kind === 'CustomResourceDefinition'),
  );
  const errors: string[] = [];
  const warnings: string[] = [];
  const values = (side: typeof old): Record<string, unknown>[] =>
    (side ?? []).map(({ value }) => ({ ...value }));
  for (const { name, issues } of crdUpgrades(values(old), values(now))) {
    for (const issue of issues ?? []) {
      const list = issue.severity === 'warning' || issue.check === 'servedVersionRemoved' ? warnings : errors;
      list.push(...issueWords(name, issue).map((text) => `CRD ${name}: ${text}`));
    }
  }
  return { errors: [...new Set(errors)], warnings: [...new Set(warnings)] };
}

/** Rows of each table of the report. */
const MAX_ROWS = 50;

/** What `portico diff` shows beside the difference, for a terminal: what fails, and what becomes of objects. */
export function pivotText({ pivot, failures }: Pick<UpdateReport, 'pivot' | 'failures'>): string {
  const lines = [
    ...failures.map((text) => `fails: ${text}`),
    ...pivot.recreated.map(
      ({ object, fields }) => `recreated: ${object} (${fields.join(', ')} cannot be changed)`,
    ),
    ...pivot.removed.map(({ object }) => `removed: ${object}`),
    ...pivot.added.map(({ object }) => `added: ${object}`),
  ];
  return lines.join('\n');
}

/** The report as Markdown: what fails first, then what becomes of objects, permissions, and the difference. */
export function updateReportMarkdown(report: UpdateReport, limit = 60_000): string {
  const { failures, definitions, pivot, power, diff } = report;
  if (diff.same) return diffMarkdown(diff);
  const powers = powerMarkdown(power);
  const parts = [
    ...(failures.length === 0 ? [] : [`**This fails:**\n\n${bullets(failures)}`]),
    ...(definitions.warnings.length === 0 ? [] : [`Look at:\n\n${bullets(definitions.warnings)}`]),
    pivotMarkdown(pivot),
    ...(powers === '' ? [] : [`Privileges, ▲ gained and ▼ lost:\n\n${powers}`]),
  ];
  const head = parts.join('\n\n');
  return `${head}\n\n${diffMarkdown(diff, { limit: Math.max(200, limit - head.length) })}`;
}

/** What becomes of the objects, and which permissions are gained and lost. */
export function objectsMarkdown({ pivot, power }: Pick<UpdateReport, 'pivot' | 'power'>): string {
  const powers = powerMarkdown(power, MAX_ROWS);
  return [
    pivotMarkdown(pivot),
    ...(powers === '' ? [] : [`Privileges, ▲ gained and ▼ lost:\n\n${powers}`]),
  ].join('\n\n');
}

/** What becomes of the objects, in one sentence and a table of those that do not simply stay. */
function pivotMarkdown(pivot: Pivot): string {
  const { kept, added, removed, recreated, moved, contested, unread } = pivot;
  const counts: readonly (readonly [number, string])[] = [
    [kept, 'kept'],
    [added.length, 'added'],
    [removed.length, 'removed'],
    [recreated.length, 'recreated'],
    [moved.length, 'with another owner'],
  ];
  const summary = counts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
  const rows = [
    ...recreated.map((one) => row('recreated', one, `because ${one.fields.join(', ')} cannot be changed`)),
    ...removed.map((one) => row('removed', one, '')),
    ...moved.map((one) => row('changes owner', one, `from ${one.from} to ${one.package}`)),
    ...contested.map(({ object, packages }) =>
      cells('contested', object, `it is in ${packages.join(' and ')}`),
    ),
    ...added.map((one) => row('added', one, '')),
  ];
  const left = rows.length - MAX_ROWS;
  const table = ['| | object | |', '|---|---|---|', ...rows.slice(0, MAX_ROWS)].join('\n');
  const blind = unread.slice(0, 20).map((path) => codeSpan(path));
  return [
    `Objects: ${summary.join(', ') || 'none'}.`,
    ...(rows.length === 0 ? [] : [table]),
    ...(left > 0 ? [`… and ${left} more.`] : []),
    ...(blind.length === 0 ? [] : [`Not known, because they cannot be read: ${blind.join(', ')}.`]),
  ].join('\n\n');
}

function row(what: string, { object }: PivotObject, why: string): string {
  return cells(what, object, why);
}

function cells(what: string, object: string, why: string): string {
  return `| ${what} | ${cell(codeSpan(object))} | ${why === '' ? '' : cell(codeSpan(why))} |`;
}

function bullets(texts: readonly string[]): string {
  const shown = texts.slice(0, MAX_ROWS).map((text) => `- ${codeSpan(text)}`);
  return [...shown, ...(texts.length > MAX_ROWS ? [`- … and ${texts.length - MAX_ROWS} more`] : [])].join(
    '\n',
  );
}
