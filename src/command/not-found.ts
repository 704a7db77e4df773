/** What is answered where a name stands for nothing: what was probably meant, or what there is. */

import { closestWord } from '../package/closest-word.ts';
import { counted } from '../text/counted.ts';
import { shown } from './arguments.ts';
import { type Refusal, refuse } from './refusal.ts';

/** Names in one refusal. */
const MAX_NAMED = 8;

/** `where` ends the sentence, such as "on the registered branch"; `otherwise` is what to do where no other was meant. */
export function noSuchPackage(
  path: string,
  where: string,
  packages: readonly string[],
  otherwise: string,
): Refusal {
  const last = path.split('/').at(-1) ?? path;
  const near = closestWord(path, packages) ?? packages.find((one) => one.split('/').at(-1) === last);
  const meant = near === undefined ? '' : `Did you mean ${shown(near)}? `;
  return refuse(
    'no-such-package',
    `there is no package ${shown(path)} ${where}`,
    `${meant}${otherwise}`.trimEnd(),
  );
}

/** `published`: revisions of the package, oldest first. */
export function noSuchRevision(path: string, revision: string, published: readonly string[]): Refusal {
  const newest = published
    .slice(-MAX_NAMED)
    .toReversed()
    .map((name) => `\`${name}\``)
    .join(', ');
  const more =
    published.length > MAX_NAMED ? `, and ${counted(published.length - MAX_NAMED, 'older revision')}` : '';
  return refuse(
    'no-such-revision',
    `${shown(path)} has no revision ${shown(revision)}`,
    published.length === 0 ? 'It has no published revision yet.' : `It has ${newest}${more}.`,
  );
}
