/** `docs/cli.md`, written from the table of verbs. */
import { verbHelp } from './help.ts';
import { groupLines } from './kpt-names.ts';
import { VERBS } from './table.ts';

/** The whole page, Markdown. */
export function cliReference(): string {
  const list = VERBS.map(({ name, summary }) => `| [\`${name}\`](#${name}) | ${summary} |`);
  const sections = VERBS.map((verb) => `## ${verb.name}\n\n${fenced(verbHelp(verb))}`);
  return `${[INTRODUCTION, ['| verb | does |', '|---|---|', ...list].join('\n'), ...sections].join('\n\n')}\n`;
}

function fenced(text: string): string {
  return `\`\`\`text\n${text}\n\`\`\``;
}

const INTRODUCTION = `# The command line

<!-- Written by scripts/generate-docs.ts from src/cli/table.ts; a test keeps it true. -->

In a clone of Portico, run \`npm ci\`, then \`npm run -s portico -- VERB\`: every verb works there. To have \`portico\` on your PATH, build it and install it:

\`\`\`sh
npm run build:cli && npm install --global ./packages/cli/dist
\`\`\`

What this installs needs Node 20.16, or 22.3 and newer, and git for content from repositories. It has no server: \`serve\`, \`run\`, \`app check\`,
\`trial\`, \`dev\` and \`demo\` work in a clone, and all but the last two in the image.

\`portico VERB --help\` says what is below, and \`portico completion bash|zsh|fish\` completes verbs and options in your shell.

- Paths are relative to the current directory, which is the default where a verb takes a directory; messages name files the same way.
- Results go to stdout and messages to stderr. With \`--json\`, stdout is one JSON document, also of an error: \`{"error": {"code", "message", "hint"}}\`.
- Colours follow the terminal, \`NO_COLOR\` and \`FORCE_COLOR\`.
- Exit codes: 0 fine, 1 the work failed, 2 merged with conflicts, 64 bad usage, 65 bad input, 130 and 143 stopped by a signal (\`serve\`, \`dev\` and \`demo\` end with 0).
- What kpt calls these verbs works as well:

\`\`\`text
${groupLines().join('\n')}
\`\`\`

kpt's options of containers (\`--network\`, \`--allow-network\`, \`--env\`, \`--mount\`, \`--as-current-user\`, \`--image-pull-policy\`) are refused
with what to do instead: functions see resources and nothing else. \`fn source\`, \`fn sink\`,
\`fn doc\`, \`live\` and \`alpha\` are left to kpt.`;
