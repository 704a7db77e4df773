/** Names of channels. A channel is a tag beside the revisions of its package, so it may not be taken for one of them. */
import { labelProblems } from '../fbc/label.ts';
import { parseRevisionName } from '../revision/revision-name.ts';

/** What keeps a name from being that of a channel: labels with dots between, and no revision; undefined for a good one. */
export function channelNameProblem(name: string): string | undefined {
  if (name.length > 63) return 'must be no more than 63 characters';
  const [wrong] = name.split('.').flatMap((part) => labelProblems(part));
  if (wrong !== undefined) return wrong;
  return parseRevisionName(name) === undefined ? undefined : 'is the name of a revision';
}

/**
 * The name under which a catalog's channel is kept: its own where that will do, else a plain one with the codes of what had to
 * be replaced. The same name always gives the same one.
 */
export function channelNameFor(name: string): string {
  if (channelNameProblem(name) === undefined) return name;
  const plain: string[] = [];
  const codes: string[] = [];
  for (const character of name) {
    if (/^[a-z0-9.-]$/.test(character)) plain.push(character);
    else {
      plain.push(/^[A-Z]$/.test(character) ? character.toLowerCase() : '-');
      codes.push((character.codePointAt(0) ?? 0).toString(16));
    }
  }
  const body = plain
    .join('')
    .replaceAll(/[.-]*\.[.-]*/g, '.')
    .slice(0, 40);
  const parts = ['c', body.replaceAll(/^[.-]+|[.-]+$/g, ''), codes.join('').slice(0, 16)];
  return parts.filter((part) => part !== '').join('-');
}
