import { shown } from './arguments.ts';
import type { CommandState } from './command-state.ts';
import type { AnywhereCommand } from './command.ts';
import type { DiffEnd } from './diff-end.ts';
import { packagesHere } from './draft-here.ts';
import { readPackagePath, revisionOf } from './package-name.ts';
import { type Refusal, refuse } from './refusal.ts';

export const diff: AnywhereCommand = {
  name: 'diff',
  usage: 'diff [<package>] [<a>..<b>]',
  summary:
    'Show the differences between two revisions, resource by resource, or what this pull request changes.',
  examples: [
    { line: '/portico diff', does: 'shows what this pull request changes' },
    { line: '/portico diff v2..v5', does: 'compares two revisions of its package' },
    { line: '/portico diff web v3..', does: 'compares v3 with the head; in an issue, with the branch' },
  ],
  accepts: { positional: 2 },
  minimumRole: 'read',
  mayAlso: ['author'],
  contexts: 'pull-or-issue',
  guard: 'none',
  decide(state, { positional }) {
    const range = positional.find((word) => word.includes('..'));
    const names = positional.filter((word) => word !== range);
    if (names.length > 1) {
      return refuse('unexpected-argument', `${shown(names[1] ?? '')} is not expected here`, 'Remove it.');
    }
    const path = names[0] === undefined ? undefined : readPackagePath(names[0]);
    if (typeof path === 'object') return path;
    const ends = range === undefined ? defaultEnds(state) : endsOf(range, state);
    if ('message' in ends) return ends;
    const here = path === undefined ? packagesHere(state) : [path];
    if (here.length === 0) {
      return refuse('which-package', 'the package is missing', 'Write /portico diff web v2..v3.');
    }
    return { kind: 'do', steps: [{ do: 'show-diff', packages: here, ...ends }] };
  },
};

interface Range {
  readonly from: DiffEnd;
  readonly to: DiffEnd;
}

/** In a pull request from where it left the branch to its head; in an issue two ends have to be named. */
function defaultEnds({ place }: CommandState): Range | Refusal {
  if (place.kind === 'pull') return { from: { kind: 'branch' }, to: { kind: 'head' } };
  return refuse('no-range', 'the revisions to compare are missing', 'Write /portico diff web v2..v3.');
}

function endsOf(range: string, { place }: CommandState): Range | Refusal {
  const parts = range.split('..');
  const [a = '', b = ''] = parts;
  if (parts.length !== 2 || a === '') {
    return refuse('bad-range', `${shown(range)} is not a range`, 'Write two revisions or commits: v2..v3.');
  }
  const from = endOf(a);
  const last: DiffEnd = { kind: place.kind === 'pull' ? 'head' : 'branch' };
  const to = b === '' ? last : endOf(b);
  if ('message' in from) return from;
  return 'message' in to ? to : { from, to };
}

function endOf(word: string): DiffEnd | Refusal {
  const revision = revisionOf(word);
  if (revision !== undefined) return { kind: 'revision', revision };
  if (/^[0-9a-f]{40}$/i.test(word)) return { kind: 'commit', commit: word.toLowerCase() };
  return refuse(
    'bad-range',
    `${shown(word)} is neither a revision nor a full commit id`,
    'Write a revision such as v3, or all 40 digits of a commit.',
  );
}
