/** The page of variables, docs/environment.md. Defaults are those of the code. */
import { VARIABLES, type Reader, type Topic, type Variable } from './environment-table.ts';
import { variables } from './environment-variables.ts';

const READERS: Readonly<Record<Reader, string>> = {
  server:
    'Read by the server: `portico serve`, `run`, `app check`, `trial`, and Portico in another Probot host.',
  'command line': 'Read by the command line.',
  both: 'Read by the server and by the command line.',
  run: 'Read by `portico run`. GitHub Actions sets them for each step.',
};

/** The page of variables in Markdown. */
export function environmentReference(): string {
  return [
    '# Variables of the environment',
    '',
    '<!-- Written by scripts/generate-docs.ts from src/config/environment-reference.ts; a test keeps it true. -->',
    '',
    'The server reads `.env` in the directory in which it is started; variables that are set have priority. An empty variable counts as absent, except a secret.',
    'A wrong value ends the start with the name of each variable that is wrong, never with its value. What to set first is in [installing](installing.md).',
    '',
    ...VARIABLES.flatMap(section),
  ].join('\n');
}

function section({ title, text, readBy, variables: rows }: Topic): string[] {
  return [
    `## ${title}`,
    '',
    [READERS[readBy], text].filter((part) => part !== undefined).join(' '),
    '',
    '| variable | default | meaning |',
    '|---|---|---|',
    ...rows.map(
      (row) =>
        `| \`${row.name}\`${row.file === undefined ? '' : ` or the file \`${row.file}\``} | ${defaultOf(row)} | ${row.meaning} |`,
    ),
    '',
  ];
}

/** As the code has it: a value, `required` or `none`. */
function defaultOf({ name, absent }: Variable): string {
  if (absent !== undefined) return absent;
  if (!isOfServer(name)) return 'none';
  const parsed = variables.shape[name].safeParse(undefined);
  if (!parsed.success) return 'required';
  const { data } = parsed;
  return data === undefined || typeof data === 'object' ? 'none' : `\`${data}\``;
}

function isOfServer(name: string): name is keyof typeof variables.shape {
  return Object.hasOwn(variables.shape, name);
}
