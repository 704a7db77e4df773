import { PorticoError } from '../../error.ts';

/** A place in a script: line and column from 1, in one number. */
export type Position = number;

const COLUMNS = 2 ** 20;

export function positionAt(line: number, column: number): Position {
  return line * COLUMNS + Math.min(column, COLUMNS - 1);
}

/** `line:column`, as messages name a place. */
export function placeText(position: Position): string {
  return `${Math.floor(position / COLUMNS)}:${position % COLUMNS}`;
}

/** What a script did wrong. */
export function fault(message: string): PorticoError {
  return new PorticoError('STARLARK', message, { blame: 'user' });
}

/** What is wrong with a script before it runs; the message begins with the place. */
export function syntaxFault(file: string, position: Position, message: string): PorticoError {
  return new PorticoError('STARLARK_SYNTAX', `${file}:${placeText(position)}: ${message}`, { blame: 'user' });
}
