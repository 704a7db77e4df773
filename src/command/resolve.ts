import type { Choice } from '../package/merge/conflict.ts';
import { shown } from './arguments.ts';
import type { ConflictList } from './command-state.ts';
import type { Decision, PullCommand } from './command.ts';
import { openPull } from './fits.ts';
import { type Refusal, refuse } from './refusal.ts';

export const resolve: PullCommand = {
  name: 'resolve',
  usage: 'resolve [<number>|all] upstream|local|both [--remember] [@commit]',
  summary: 'Settle merge conflicts with a commit that takes one side, or both additions.',
  examples: [
    {
      line: '/portico resolve 2 local',
      does: 'takes the local value for conflict 2 in the check portico/conflicts',
    },
    {
      line: '/portico resolve all upstream',
      does: 'takes the value from upstream, or from the base branch',
    },
    {
      line: '/portico resolve 3 both',
      does: 'keeps what both sides added to a list or a text: upstream’s, then the local additions',
    },
    {
      line: '/portico resolve 2 local --remember',
      does: 'takes the local value, and writes into the package that it keeps this field in later updates, too',
    },
  ],
  accepts: { positional: 2, commit: true, options: { remember: 'flag' } },
  minimumRole: 'write',
  mayAlso: [],
  contexts: 'pull',
  guard: 'head',
  fits: (state) => openPull(state) !== undefined && state.openConflicts > 0,
  decide({ conflicts = NONE }, { positional, options }, pull): Decision {
    if (pull.fork) {
      const hint = 'Settle the conflicts with a commit on the branch.';
      return refuse('fork', 'the proposal comes from a fork, where Portico may not write', hint);
    }
    const wish = wishOf(positional);
    if ('kind' in wish) return wish;
    const remember = options.has('remember');
    if (remember && wish.side !== 'local') {
      const hint = `Take ${wish.side} without --remember.`;
      return refuse('bad-argument', '--remember is for what stays local', hint);
    }
    if (conflicts.lost !== false) {
      return refuse('conflicts-lost', conflicts.lost.message, conflicts.lost.hint);
    }
    const numbers = chosen(wish.which, conflicts);
    if (!Array.isArray(numbers)) return numbers;
    if (numbers.length === 0) {
      const reply =
        typeof wish.which === 'number'
          ? settledAlready([wish.which], conflicts.open)
          : 'No open conflict is left to settle.';
      return { kind: 'do', steps: [], reply };
    }
    const step = {
      do: 'settle-conflicts',
      numbers,
      side: wish.side,
      head: pull.headSha,
      ...(remember && { remember: true as const }),
    } as const;
    return { kind: 'do', steps: [step] };
  },
};

/** The answer about conflicts that are not open any more. */
export function settledAlready(numbers: readonly number[], open: ConflictList['open']): string {
  const [which, newer] =
    numbers.length === 1
      ? [`Conflict ${numbers.join()} is`, 'a newer one replaced it']
      : [`Conflicts ${numbers.join(', ')} are`, 'newer ones replaced them'];
  return `${which} settled already, or ${newer}. ${openText(open)}`;
}

function openText(open: ConflictList['open']): string {
  if (open.length === 0) return 'No conflict is open.';
  const numbers = open.slice(0, 20).map(({ number }) => number);
  return `Open: ${numbers.join(', ')}.`;
}

const NONE: ConflictList = { open: [], listed: 0, lost: false };

interface Wish {
  readonly which: number | 'all' | undefined;
  readonly side: Choice;
}

/** The side is the last word; in front of it may stand which. */
function wishOf(words: readonly string[]): Wish | Refusal {
  const last = words.at(-1);
  const side = (['upstream', 'local', 'both'] as const).find((known) => known === last);
  if (side === undefined) {
    const message = last === undefined ? 'the side is missing' : `${shown(last)} is not a side`;
    return refuse(
      'bad-argument',
      message,
      'Choose `upstream`, `local` or `both`, and name the conflict: a number, or all.',
    );
  }
  const [first] = words.length === 2 ? words : [];
  if (first === undefined || first === 'all') return { which: first, side };
  const number = /^#?([1-9][0-9]{0,5})$/.exec(first)?.[1];
  if (number !== undefined) return { which: Number(number), side };
  const hint = 'Write the number from the check portico/conflicts, or all.';
  return refuse('bad-argument', `${shown(first)} is not a conflict`, hint);
}

/** Those that are still open; one that was settled before is done already. */
function chosen(which: Wish['which'], { open, listed }: ConflictList): number[] | Refusal {
  const numbers = open.map(({ number }) => number);
  if (which === 'all') return numbers;
  if (which === undefined) {
    if (numbers.length < 2) return numbers;
    return refuse('which-conflict', `there are ${numbers.length} open conflicts`, 'Name one, or write all.');
  }
  if (numbers.includes(which)) return [which];
  if (which <= listed) return [];
  return refuse('no-such-conflict', `there is no conflict ${which}`, openText(open));
}
