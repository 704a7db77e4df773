/** `docs/commands.md`, written from the table. */
import type { Command } from './command.ts';
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

- Up to ${MAX_COMMANDS} commands stand in one comment, each on a line that begins with \`/portico\`, in a paragraph of its own words: not in a list, a quote, a table or a folded part.
- They run in order and stop at the first that fails.
- Quoted text, code, HTML and edited comments are not read. Commands in the text that opens a pull request or an issue or in comments on
  lines of a change, and lines that miss the prefix by a letter or two, are not carried out but answered with what was meant.
- Arguments are split as a shell splits them ('…', "…" and \\\\ quote), and nothing is expanded.
- \`@commit\` is \`@\` and at least seven digits of the commit that you mean: the command is refused if the head is another. Commands
  that say so below are also refused if something was pushed after your comment.
- Portico answers with a reaction: 👀 seen, 🚀 done, 😕 refused, 👎 failed, and says in one line what was done, with a link to it
  (who may not write gets ten replies in an hour).
- Who may use a command is asked of the forge at that moment. \`spec.access\` in \`.github/portico.yaml\` replaces what stands below: roles,
  \`@org/team\`, \`@login\` or \`author\`.`;

function section(command: Command): string {
  const where = command.contexts === 'pull' ? 'pull requests' : 'pull requests and issues';
  const author = command.mayAlso.includes('author') ? ', and the author' : '';
  const moved = command.guard === 'head' ? 'refused if something was pushed after the comment' : '';
  const facts = [`In ${where}`, `role ${command.minimumRole} or higher${author}`, moved]
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
