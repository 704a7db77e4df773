import { styleText } from 'node:util';

import { showHidden } from '../text/hidden-characters.ts';
import { scrubSecrets } from '../text/secrets.ts';

export type Style = Parameters<typeof styleText>[0];

/** The two streams of the process as the verbs use them. */
export interface Terminal {
  /** True when `--json` was asked: stdout then holds one JSON document and nothing else. */
  readonly json: boolean;
  /** True where a person reads stdout, and no file or program. */
  readonly isLive: boolean;
  /** Writes a result to stdout; a line feed is added. */
  readonly print: (text: string) => void;
  /** Writes text to stdout as it is. */
  readonly write: (text: string) => void;
  /** Writes the one JSON document to stdout. */
  readonly document: (value: unknown) => void;
  /** Writes a message to stderr. */
  readonly say: (text: string) => void;
  readonly warn: (text: string) => void;
  /** Shows what is being done, on a terminal only; '' clears it. */
  readonly progress: (text: string) => void;
  /** Colours text for stdout, or for stderr. */
  readonly style: (style: Style, text: string, stream?: 'stdout' | 'stderr') => string;
}

/** Columns of a terminal that does not say how many it has, as those of `docker run -t` and of `script`. */
const UNKNOWN_WIDTH = 80;

/** A terminal over the streams of this process. Colours follow NO_COLOR, FORCE_COLOR and whether it is a terminal. */
export function processTerminal(json: boolean): Terminal {
  const { stdout, stderr } = process;
  const live = stderr.isTTY && process.env['TERM'] !== 'dumb';
  let shown = false;

  const clear = (): void => {
    if (shown) stderr.write('\r\u001B[2K');
    shown = false;
  };
  const say = (text: string): void => {
    clear();
    stderr.write(`${visible(scrubSecrets(text))}\n`);
  };

  // A file or a program receives the text as it is.
  const shownOn = (text: string): string => (stdout.isTTY ? visible(text) : text);

  return {
    json,
    isLive: stdout.isTTY,
    print: (text) => {
      clear();
      stdout.write(`${shownOn(text)}\n`);
    },
    write: (text) => {
      clear();
      stdout.write(shownOn(text));
    },
    document: (value) => {
      clear();
      stdout.write(`${shownOn(JSON.stringify(value, exactIntegers, stdout.isTTY ? 2 : undefined))}\n`);
    },
    say,
    warn: (text) => say(`${style('yellow', 'warning:', 'stderr')} ${text}`),
    progress: (text) => {
      if (!live) return;
      clear();
      if (text === '') return;
      // One line: of two, only the second could be cleared.
      stderr.write(visible(scrubSecrets(text)).slice(0, Math.max(20, stderr.columns || UNKNOWN_WIDTH) - 1));
      shown = true;
    },
    style,
  };
}

function style(format: Style, text: string, stream: 'stdout' | 'stderr' = 'stdout'): string {
  return styleText(format, text, { stream: process[stream] });
}

/** The colours of `style`. Others could hide text. */
// oxlint-disable-next-line no-control-regex -- control characters are what this looks for
const COLOUR = /(\u001B\[(?:[12]|22|3[1-69])m)/;

/** Shows the control and format characters of text from packages and functions, which would drive the terminal or deceive its reader. */
export function visible(text: string): string {
  return text
    .split(COLOUR)
    .map((part, at) => (at % 2 === 0 ? showHidden(part) : part))
    .join('');
}

/** Integers past 2^53 keep their digits in JSON. */
function exactIntegers(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value;
}
