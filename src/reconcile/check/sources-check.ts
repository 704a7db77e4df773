import { fileIn, type RepositoryDirectory } from '../../revision/package-path.ts';
import { counted } from '../../text/counted.ts';
import { joined } from '../../text/joined.ts';
import { SOURCES_CHECK } from '../check-names.ts';
import type { FileChanges } from '../git-port.ts';
import type { SourceProblem } from '../source-port.ts';
import { code, foreignSentence } from '../text/markdown-blocks.ts';
import { titlePart, withHint, type CheckContent } from './check-content.ts';

/** What was found of the sources of one package. */
export interface PackageSourceFindings {
  readonly path: string;
  /** From the top of the repository. */
  readonly directory: RepositoryDirectory;
  readonly sources: number;
  /** What keeps the package from being merged, in files of it. */
  readonly problems: readonly SourceProblem[];
  /** Custom resource definitions that go, or break what is stored. */
  readonly failures: readonly string[];
  readonly warnings: readonly string[];
  /** What becomes of objects, as Markdown; '' where nothing is known of that. */
  readonly text: string;
  /** Files of the repository that processors write otherwise now, because people changed what they read. */
  readonly remade?: FileChanges;
}

/** Pure: whether what is committed is what the locks pin and the processors make of it. */
export function sourcesCheck(packages: readonly PackageSourceFindings[]): CheckContent | undefined {
  if (packages.length === 0) return undefined;
  const problems = packages.flatMap((one) => one.problems.map((problem) => ({ one, problem })));
  const failures = packages.flatMap(({ failures: all }) => all);
  const wrong = [...problems.map(({ problem }) => problem.message), ...failures];
  const sources = packages.reduce((sum, one) => sum + one.sources, 0);
  return {
    name: SOURCES_CHECK,
    conclusion: wrong.length > 0 ? 'failure' : 'success',
    title:
      wrong.length === 0
        ? `${counted(sources, 'source')} of ${counted(packages.length, 'package')} as locked`
        : `${titlePart(wrong[0] ?? '')}${wrong.length > 1 ? `, and ${wrong.length - 1} more` : ''}`,
    summary: packages.map(summaryOf).join('\n\n'),
    annotations: problems.map(({ one, problem: { file, line, column, message, hint } }) => ({
      path: fileIn(one.directory, file),
      startLine: line,
      endLine: line,
      startColumn: column,
      endColumn: column,
      level: 'failure',
      title: 'sources',
      message: withHint(message, hint),
    })),
  };
}

/** Lines for one package. */
const MAX_LISTED = 50;

function summaryOf({ path, sources, problems, failures, warnings, text }: PackageSourceFindings): string {
  const lines = problems.map(({ file, message, hint }) => `${file}: ${message}. ${hint}`);
  return joined([
    `${code(path)}: ${counted(sources, 'source')}.`,
    bullets(lines),
    failures.length === 0 ? '' : `**This must not be merged as it is:**\n\n${bullets(failures)}`,
    warnings.length === 0 ? '' : `Look at:\n\n${bullets(warnings)}`,
    text,
  ]);
}

function bullets(texts: readonly string[]): string {
  const more = texts.length > MAX_LISTED ? [`- and ${texts.length - MAX_LISTED} more`] : [];
  return [...texts.slice(0, MAX_LISTED).map((text) => `- ${foreignSentence(text)}`), ...more].join('\n');
}
