import type { KptfileProblem } from '../../package/kptfile-types.ts';
import { fileIn, type RepositoryDirectory } from '../../revision/package-path.ts';
import { counted } from '../../text/counted.ts';
import { shorten } from '../../text/cut-text.ts';
import { table } from '../../text/markdown.ts';
import { PACKAGE_CHECK } from '../check-names.ts';
import type { RenderedPackage } from '../render/proposal-render.ts';
import { code, sentence, foreignSentence } from '../text/markdown-blocks.ts';
import { type CheckContent } from './check-content.ts';

/** What is known of the packages of a proposal. */
export interface PackageFacts {
  /** Directory from the top of the repository → what is wrong with its Kptfile. */
  readonly kptfiles: ReadonlyMap<RepositoryDirectory, readonly KptfileProblem[]>;
  readonly rendered: readonly RenderedPackage[];
  readonly removed: readonly string[];
}

/** Pure: the Kptfiles of the packages, and their readiness gates as they were computed. */
export function packageCheck(facts: PackageFacts): CheckContent {
  const problems = [...facts.kptfiles].flatMap(([directory, found]) =>
    found.map((problem) => ({ file: fileIn(directory, 'Kptfile'), ...problem })),
  );
  const errors = problems.filter(({ severity }) => severity === 'error');
  const gates = facts.rendered.flatMap((one) =>
    (one.gates ?? []).map((gate) => ({ ...gate, in: one.package })),
  );
  const unready = gates.filter(({ ready }) => !ready);
  const changes = [
    ...facts.rendered.map(({ package: { path, trees } }) => [
      code(path),
      trees.mergeBase === null ? 'new' : 'changed',
    ]),
    ...facts.removed.map((path) => [code(path), 'removed']),
  ];
  const title =
    errors.length > 0
      ? mistakeTitle(errors)
      : unready.length > 0
        ? shorten(`Readiness conditions not met: ${unready.map(({ type }) => type).join(', ')}`, 250)
        : counted(changes.length, 'package');
  const rows = gates.map(({ type, ready, message, in: { path } }) => [
    code(path),
    code(type),
    ready ? 'met' : 'not met',
    foreignSentence(message),
  ]);
  return {
    name: PACKAGE_CHECK,
    conclusion: errors.length > 0 || unready.length > 0 ? 'failure' : 'success',
    title,
    summary:
      changes.length === 0
        ? 'The proposal changes no package.'
        : [
            table(['package', 'change'], changes),
            ...(rows.length === 0 ? [] : [table(['package', 'readiness gate', '', ''], rows), GATES]),
          ].join('\n\n'),
    annotations: [
      ...problems.map(({ file, line, severity, message, path }) => ({
        path: file,
        startLine: line ?? 1,
        endLine: line ?? 1,
        level: severity === 'error' ? ('failure' as const) : ('warning' as const),
        title: path === '' ? 'Kptfile' : path,
        message,
      })),
      ...unready.map(({ type, message, in: { directory } }) => ({
        path: fileIn(directory, 'Kptfile'),
        startLine: 1,
        endLine: 1,
        level: 'failure' as const,
        title: `Readiness gate ${type}`,
        message: sentence(message),
      })),
    ],
  };
}

const GATES =
  'Gates are computed by rendering from a Kptfile without conditions; conditions that are written into `status.conditions` by hand do not count. If nothing can meet a gate, remove it from `info.readinessGates`.';

/** The title names the first, and how many there are beside it. */
function mistakeTitle(
  errors: readonly { readonly file: string; readonly line?: number; readonly message: string }[],
): string {
  const [first] = errors;
  if (first === undefined) return '';
  const more = errors.length > 1 ? `, and ${errors.length - 1} more` : '';
  const where = `${first.file}${first.line === undefined ? '' : `:${first.line}`}`;
  return `${where}: ${shorten(sentence(first.message), 150).replace(/\.$/, '')}${more}`;
}
