import { parseComment } from '../../src/command/parse.ts';

/**
 * What would be live in a Markdown text on the forge, or to Portico's own parser: commands, mentions, markers of ours,
 * HTML that is not ours. Code is dead, and is taken out the way CommonMark reads it: fences first, then spans in what
 * is left of each line, because everything of ours stands on one line.
 */
export function liveParts(markdown: string, ownMarkers: readonly string[] = []): string[] {
  const parsed = parseComment(markdown);
  const commands = parsed.kind === 'commands' ? parsed.commands.map(({ text }) => text) : [parsed.code];
  const text = withoutCode(markdown);
  const markers = [...markdown.matchAll(/<!-- portico:[^>]*-->/g)]
    .map(([marker]) => marker)
    .filter((marker) => !ownMarkers.includes(marker))
    .filter((marker) => text.includes(marker));
  // The forge looks for them in what it has rendered.
  const rendered = text.replaceAll(/&(?:#0*64|#x0*40|commat);/gi, '@');
  const mentions = [...rendered.matchAll(/(?<![\w`/])@[a-z\d][\w/-]*/gi)].map(([mention]) => mention);
  const html = [...text.matchAll(/<\/?[a-z!][^>\n]*>?/gi)]
    .map(([tag]) => tag)
    .filter((tag) => !ownMarkers.includes(tag))
    .filter((tag) => !/^<\/?(?:details|details open|summary|code|sub)>?$/.test(tag));
  return [...commands, ...markers, ...mentions, ...html];
}

function withoutCode(markdown: string): string {
  const kept: string[] = [];
  let fence: string | null = null;
  for (const line of markdown.split(/\r\n|\n|\r/)) {
    const [, mark = '', rest = ''] = /^ {0,6}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (fence === null && mark !== '' && !(mark.startsWith('`') && rest.includes('`'))) fence = mark;
    else if (fence !== null) {
      if (mark.startsWith(fence) && rest.trim() === '') fence = null;
    } else kept.push(withoutSpans(line));
  }
  return kept.join('\n');
}

/** A run of backticks opens a span that the next run of the same length ends; one without an end is text. */
function withoutSpans(line: string): string {
  const runs = [...line.matchAll(/`+/g)];
  let text = '';
  let at = 0;
  for (let open = 0; open < runs.length; open += 1) {
    const run = runs[open]!;
    if (run.index < at) continue;
    const close = runs.find((other, place) => place > open && other[0].length === run[0].length);
    if (close === undefined) continue;
    text += `${line.slice(at, run.index)}·`;
    at = close.index + close[0].length;
  }
  return text + line.slice(at);
}
