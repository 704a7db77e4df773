import { expect, test } from 'vitest';

import { decideComment, ended, isRationed } from '../../src/command/decide.ts';

const FORM =
  '### Package to roll back\n\nweb\n\n### Revision to bring back\n\nv3\n\n### Workspace\n\n_No response_';
const comment = { kind: 'comment' as const, body: '/portico help', authorIsBot: false, edited: false };

test.each<[string, Partial<Parameters<typeof decideComment>[0]>, object]>([
  ['a command', {}, { do: 'obey', commands: [{ verb: 'help' }] }],
  [
    'two of them',
    { body: '/portico render\n/portico help' },
    { commands: [{ verb: 'render' }, { verb: 'help' }] },
  ],
  ['a command in a review', { kind: 'review' }, { do: 'obey' }],
  ['words', { body: 'Looks good.' }, { do: 'nothing' }],
  ['a command in a quote', { body: '> /portico help' }, { do: 'nothing' }],
  ['a command by a bot', { authorIsBot: true }, { do: 'nothing' }],
  ['a command that was edited', { edited: true }, { do: 'refuse', text: expect.stringContaining('edited') }],
  ['words that were edited', { edited: true, body: 'x' }, { do: 'nothing' }],
  ['too many', { body: '/portico help\n'.repeat(11) }, { do: 'refuse' }],
  ['a form', { kind: 'form', body: FORM }, { do: 'obey', commands: [{ verb: 'rollback' }] }],
  ['an issue that is no form', { kind: 'form', body: '/portico help' }, { do: 'nothing' }],
  [
    'a command in an opening text',
    { kind: 'opening' },
    { do: 'refuse', text: expect.stringContaining('`/portico help`') },
  ],
  ['a command on a line of a change', { kind: 'line' }, { do: 'refuse' }],
])('%s', (_what, change, expected) => {
  expect(decideComment({ ...comment, ...change })).toMatchObject(expected);
});

test('answers in words to what anybody may write many of are rationed', () => {
  const kinds = ['comment', 'review', 'form', 'opening', 'line'] as const;
  expect(kinds.filter((kind) => isRationed({ kind }))).toEqual(['comment', 'opening', 'line']);
});

test.each([
  [0, 'No'],
  [1, 'command after'],
  [2, '2 commands after'],
])('of %i commands left it says so', (left, part) => {
  expect(ended({ message: 'No', hint: 'Ask.' }, left)).toContain(part);
});
