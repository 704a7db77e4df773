import type { Terminal } from './terminal.ts';

/** The text of a difference with the colours that `git diff` has; a style that is off changes nothing. */
export function colouredDiff(text: string, style: Terminal['style']): string {
  return text
    .split('\n')
    .map((line) => {
      const mark = /^ {2}([-+!@]|▲|▼)/.exec(line)?.[1] ?? /^(?:- )?([▲▼])/.exec(line)?.[1];
      if (mark === '+' || mark === '▼') return style('green', line);
      if (mark === '-') return style('red', line);
      if (mark === '▲') return style('yellow', line);
      if (mark === '!' || mark === '@') return style('cyan', line);
      if (line.startsWith('fails: ')) return style('red', line);
      return /^\S.*:(?: \d[^\n]*)?$/.test(line) ? style('bold', line) : line;
    })
    .join('\n');
}
