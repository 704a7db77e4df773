/** What git allows as a ref name, and what Portico allows on top, because names travel into processes and pages. */
import { shortenValue } from '../text/cut-text.ts';

export interface RefProblem {
  readonly code: 'ref-empty' | 'ref-long' | 'ref-character' | 'ref-form' | 'ref-option';
  readonly message: string;
}

/** File systems end a name at 255 bytes, and a loose ref is a file that is locked as `<name>.lock`. */
const MAX_LENGTH = 240;

/**
 * Nearly every name is of words between single dots and slashes, and a repository may have a hundred thousand tags: what
 * looks like this breaks no rule below but those that `isSimple` asks for.
 */
const SIMPLE = /^\w[\w+-]*(?:[./][\w+-]+)*$/;

function isSimple(name: string): boolean {
  return name.length <= MAX_LENGTH && name !== 'HEAD' && SIMPLE.test(name) && !name.includes('.lock');
}

/**
 * Why `name` cannot be a branch, tag or ref, or undefined where it can. The rules are those of `git check-ref-format
 * --branch` (git 2.39), and stricter in two ways: no name over 240 bytes, no character that cannot be seen.
 */
export function refProblem(name: string): RefProblem | undefined {
  if (isSimple(name)) return undefined;
  if (name === '') return { code: 'ref-empty', message: 'a name cannot be empty' };
  if (new TextEncoder().encode(name).length > MAX_LENGTH) {
    return { code: 'ref-long', message: `a name cannot be longer than ${MAX_LENGTH} bytes` };
  }
  if (name.startsWith('-')) return { code: 'ref-option', message: `${quoted(name)} starts with a dash` };
  const character = /[\p{C}\p{Z}~^:?*[\\]/u.exec(name)?.[0];
  if (character !== undefined) {
    return {
      code: 'ref-character',
      message: `${quoted(name)} holds ${quoted(character)}, which git does not allow`,
    };
  }
  const form = formProblem(name);
  return form === undefined ? undefined : { code: 'ref-form', message: `${quoted(name)} ${form}` };
}

function formProblem(name: string): string | undefined {
  if (name === '@' || name === 'HEAD') return 'has a meaning of its own in git';
  if (name.includes('..')) return 'holds two dots in a row';
  if (name.includes('@{')) return 'holds @{';
  if (name.endsWith('.')) return 'ends with a dot';
  for (const part of name.split('/')) {
    if (part === '') return 'holds an empty part';
    if (part.startsWith('.')) return 'has a part that starts with a dot';
    if (part.endsWith('.lock')) return 'has a part that ends with .lock';
  }
  return undefined;
}

/** Shows a name in a message: one line, short, nothing invisible. */
function quoted(text: string): string {
  const shown = JSON.stringify(shortenValue(text, 80));
  return shown.replaceAll(/[^\x20-\x7e…]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
