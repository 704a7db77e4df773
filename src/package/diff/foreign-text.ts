/**
 * Text from packages in Markdown. It stands in code spans and fences only, where mentions, links, images and commands
 * do nothing; what could still act there is made visible.
 */

// Control and format characters that hide or reorder text, the tricks of "Trojan Source" (CVE-2021-42574).
const HIDDEN =
  // oxlint-disable-next-line no-control-regex -- control characters are what this looks for
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B\u200E\u200F\u2028\u2029\u202A-\u202E\u2060-\u2069\uFEFF]/gu;

/** The text with hidden characters written out, such as `\u202E`, and without openings of HTML comments. */
function inert(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(HIDDEN, (found) => `\\u${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`)
    .replaceAll('<!--', '<!\\--');
}

/** A code span around text of one line. */
export function codeSpan(text: string): string {
  const line = inert(text).replaceAll('\n', '␤');
  const ticks = '`'.repeat(longestRun(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') || line.trim() === '' ? ' ' : '';
  return `${ticks}${pad}${line}${pad}${ticks}`;
}

/** A fence around text, longer than any run of backticks in it. */
export function fence(text: string, language: string): string {
  const body = inert(text);
  const ticks = '`'.repeat(Math.max(3, longestRun(body) + 1));
  return `${ticks}${language}\n${body}\n${ticks}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}
