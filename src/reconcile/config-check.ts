/** Pure: the check of the configuration, of a proposal that changes it or of the branch that holds it. */
import type { ConfigProblem } from '../config/config-problem.ts';
import { count, type Draft } from './check-draft.ts';
import { CONFIG_CHECK } from './check-names.ts';
import type { CheckInput } from './forge-port.ts';
import { code, sentence, table } from './markdown-blocks.ts';

export function configCheck(problems: readonly ConfigProblem[]): Draft {
  return {
    name: CONFIG_CHECK,
    conclusion: problems.length > 0 ? 'failure' : 'success',
    title:
      problems.length > 0
        ? `${count(problems.length, 'mistake')} in the configuration`
        : 'The configuration is valid',
    summary:
      problems.length > 0
        ? table(
            ['where', 'what', 'do this'],
            problems.map((problem) => [
              code(`${problem.file}:${problem.line}`),
              problem.message,
              problem.hint,
            ]),
          )
        : 'It comes into force when it is merged.',
    annotations: problems.map((problem) => ({
      path: problem.file,
      startLine: problem.line,
      endLine: problem.line,
      startColumn: problem.column,
      endColumn: problem.column,
      level: 'failure',
      title: problem.path === '' ? 'portico.yaml' : problem.path,
      message: `${sentence(problem.message)} ${problem.hint}`,
    })),
  };
}

/** The same for the head of the default branch, where a mistake leaves the last good version in force, or none. */
export function configCheckAt(
  head: string,
  problems: readonly ConfigProblem[],
  inForce: boolean,
): CheckInput {
  const draft = configCheck(problems);
  const state = inForce
    ? 'The last version without mistakes stays in force.'
    : 'No version without mistakes is found, so Portico does nothing in this repository.';
  return {
    ...draft,
    summary: `${state}\n\n${draft.summary}`,
    headSha: head,
    externalId: head,
    status: 'completed',
  };
}
