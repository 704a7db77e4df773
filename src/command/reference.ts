/** `docs/commands.md`, written from the table. */
import { CONTEXTS, type Command } from './command.ts';
import { MAX_COMMANDS } from './parse.ts';
import { commands } from './table.ts';

/** The whole page, Markdown. */
export function commandReference(): string {
  return `${[INTRODUCTION, ...commands.map(section)].join('\n\n')}\n`;
}

const INTRODUCTION = `# Commands

<!-- Written by scripts/generate-docs.ts from src/command/table.ts; a test keeps it true. -->

Write a command at the start of a line of a new comment, or of a review:

\`\`\`
/portico publish
\`\`\`

- A comment may contain up to ${MAX_COMMANDS} commands, each on a line of its own that starts with \`/portico\`. Commands in lists, quotes, tables or folded sections are not read.
- Commands run in order and stop at the first one that fails.
- Code, HTML and edited comments are not read. Commands in the description of a pull request or an issue or in comments on
  lines of a change, and lines that almost match the prefix, are not run; Portico replies with the command that was probably meant.
- Arguments are split as in a shell ('…', "…" and \\\\ quote); nothing is expanded.
- \`@commit\` is \`@\` followed by at least seven digits of a commit id: the command is refused if the head is a different commit. Commands
  marked below are also refused if something was pushed, or the base branch was changed, after your comment.
- Portico answers with a reaction: 👀 seen, 🚀 done, 😕 refused, 👎 failed, and replies with one line that links to the result
  (people without write access get at most ten replies per hour).
- Portico asks the forge for your rights when you run a command. \`spec.access\` in \`.github/portico.yaml\` overrides the defaults below with roles,
  \`@org/team\`, \`@login\` or \`author\`.`;

function section(command: Command): string {
  const author = command.mayAlso.includes('author') ? ', and the author' : '';
  const moved =
    command.guard === 'head' || command.guard === 'content'
      ? 'refused if something was pushed after the comment'
      : '';
  const facts = [`In ${CONTEXTS[command.contexts]}`, `role ${command.minimumRole} or higher${author}`, moved]
    .filter(Boolean)
    .join('; ');
  const examples = command.examples.map(({ line, does }) => `- \`${line}\` ${does}`);
  return [
    `## ${command.name}`,
    `\`/portico ${command.usage}\``,
    command.summary,
    `${facts}.`,
    examples.join('\n'),
  ].join('\n\n');
}
