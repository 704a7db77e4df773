/** The answer to a word that is no command. */
import { closestWord } from '../package/closest-word.ts';
import { shown } from './arguments.ts';
import { type Refusal, refuse } from './refusal.ts';

/** Suggests only what the caller may use: `allowed` are those names. */
export function unknownCommand(verb: string, allowed: readonly string[]): Refusal {
  const near = closestWord(verb, allowed);
  const list = allowed.map((name) => `\`${name}\``).join(', ');
  const hint = allowed.length === 0 ? 'You may not use any command here.' : `You may use ${list}.`;
  return refuse(
    'unknown-command',
    `${shown(verb)} is not a command`,
    near === undefined ? hint : `Did you mean \`/portico ${near}\`? ${hint}`,
  );
}
