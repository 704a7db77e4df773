/**
 * Issues that were written by one of the forms in workflows/issue-forms: each is one command. The forge makes a form's
 * answers into Markdown, a heading with the field's label and the answer below it.
 */
import { parseComment, type CommandLine } from './parse.ts';

export interface IssueForm {
  readonly verb: string;
  /** Labels in their order, with what becomes of the answer. */
  readonly fields: readonly {
    readonly label: string;
    /** A positional argument; `revision` goes behind the one before it with @; anything else is an option. */
    readonly as: 'positional' | 'revision' | 'workspace' | 'description' | 'keywords';
  }[];
}

const WORKSPACE = { label: 'Workspace', as: 'workspace' } as const;

/** No two have the same labels: by these a form is known. */
export const ISSUE_FORMS: readonly IssueForm[] = [
  {
    verb: 'init',
    fields: [
      { label: 'Path of the new package', as: 'positional' },
      WORKSPACE,
      { label: 'Description', as: 'description' },
      { label: 'Keywords', as: 'keywords' },
    ],
  },
  {
    verb: 'clone',
    fields: [
      { label: 'Upstream package', as: 'positional' },
      { label: 'Revision of the upstream', as: 'revision' },
      { label: 'Path of the new package', as: 'positional' },
      WORKSPACE,
    ],
  },
  {
    verb: 'copy',
    fields: [
      { label: 'Package to work on', as: 'positional' },
      { label: 'Revision to start from', as: 'revision' },
      WORKSPACE,
    ],
  },
  {
    verb: 'rollback',
    fields: [
      { label: 'Package to roll back', as: 'positional' },
      { label: 'Revision to bring back', as: 'revision' },
      WORKSPACE,
    ],
  },
];

/** Answers are short; a longer body is no form of ours. */
const MAX_LENGTH = 8_000;

/** What the forge writes for a field that was left empty. */
const NO_ANSWER = '_No response_';

/** The command that an issue's body stands for; undefined for every issue that is not written by one of the forms. */
export function parseIssueForm(body: string): CommandLine | undefined {
  if (body.length > MAX_LENGTH || !body.startsWith('### ')) return undefined;
  const sections = body
    .replaceAll('\r\n', '\n')
    .slice('### '.length)
    .split('\n### ')
    .map((section) => {
      const [label = '', ...answer] = section.split('\n');
      return { label: label.trim(), answer: answer.join(' ').replaceAll(/\s+/g, ' ').trim() };
    });
  const form = ISSUE_FORMS.find(
    ({ fields }) =>
      fields.length === sections.length && fields.every(({ label }, at) => label === sections[at]?.label),
  );
  if (form === undefined) return undefined;
  const words: string[] = [];
  for (const [at, { as }] of form.fields.entries()) {
    const answer = sections[at]?.answer ?? '';
    if (answer === '' || answer === NO_ANSWER) continue;
    if (as === 'positional') words.push(answer);
    else if (as === 'revision') words.push(`${words.pop() ?? ''}@${answer}`);
    else words.push(`--${as}=${answer}`);
  }
  const parsed = parseComment(`/portico ${form.verb} ${words.map(quoted).join(' ')}`);
  return parsed.kind === 'commands' ? parsed.commands[0] : undefined;
}

/** One word to whoever splits as a shell does. */
function quoted(word: string): string {
  return /^[\w@.:/=,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
