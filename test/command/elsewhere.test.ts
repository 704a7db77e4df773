import { expect, test } from 'vitest';

import { elsewhereRequest } from '../../src/command/elsewhere.ts';
import { parseComment } from '../../src/command/parse.ts';
import { say } from './command-state.ts';

function request(body: string): string | undefined {
  const parsed = parseComment(body);
  const [line] = parsed.kind === 'commands' ? parsed.commands : [];
  const found = line && elsewhereRequest(line, { owner: 'acme' });
  return found && `${found.repository} ${line.verb} ${found.rest}`;
}

test.each([
  ['pause acme/edge-7:web', 'acme/edge-7 pause web'],
  ['pause edge-7:web', 'acme/edge-7 pause web'],
  ['resume other/edge_7.x:apps/db', 'other/edge_7.x resume apps/db'],
  ["pause 'acme/edge-7:web'", 'acme/edge-7 pause web'],
  ['update acme/edge-7:web', 'acme/edge-7 update web'],
  ['update acme/edge-7:web@v4', 'acme/edge-7 update web@v4'],
  ['update edge-7:. v4', 'acme/edge-7 update . v4'],
  ['update edge-7:web chart@1.4.0', 'acme/edge-7 update web chart@1.4.0'],
])('/portico %s is about another repository', (line, expected) => {
  expect(request(`/portico ${line}`)).toBe(expected);
});

test.each([
  'pause',
  'pause apps/db',
  'update chart@1.4.0',
  'update web@v4',
  'update web v4:x',
  'pause a/b/c:web',
  'pause acme/edge-7:web:x',
  'pause acme/edge-7:',
  'pause :web',
  "pause 'acme/edge-7:web",
  // Only verbs that are made for it.
  'approve acme/edge-7:web',
  'delete acme/edge-7:web',
  'rollback acme/edge-7:web@v3',
  'bulk acme/edge-7:web',
])('/portico %s is not', (line) => {
  expect(request(`/portico ${line}`)).toBeUndefined();
});

test('a package where a wave belongs is answered with the command that leaves it out', () => {
  for (const action of ['skip', 'pause', 'resume', 'approve']) {
    expect(say(`/portico rollout ${action} apps acme/edge-3:web`)).toMatchObject({
      code: 'which-wave',
      message: '`acme/edge-3:web` is a package, not a wave.',
      hint: expect.stringContaining('`/portico pause acme/edge-3:web`') as string,
    });
  }
});

test('an update names the package that was probably meant', () => {
  const updates = [{ package: 'web', upstream: 'acme/up/web', available: ['v1'] }];
  expect(say('/portico update wbe@v1', { updates })).toMatchObject({
    code: 'no-upstream',
    hint: expect.stringContaining('Did you mean `web`?') as string,
  });
});
