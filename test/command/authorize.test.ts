import { describe, expect, test } from 'vitest';

import { authorize } from '../../src/command/authorize.ts';
import { commands } from '../../src/command/table.ts';
import type { Grant } from '../../src/config/repository-config.ts';
import { ROLES } from '../../src/config/role.ts';
import { caller, config } from './command-state.ts';

const publish = commands.find(({ name }) => name === 'publish')!;
const may = (grants: readonly Grant[] | undefined, change: Parameters<typeof caller>[0]) => {
  const access = new Map(grants === undefined ? [] : [['publish', grants]]);
  return authorize(config({ access }), publish, caller(change)).kind === 'allowed';
};

describe('a role or higher', () => {
  const cases = ROLES.flatMap((has) => ROLES.slice(1).map((needs) => [has, needs] as const));
  test.each(cases)('%s for %s', (has, needs) => {
    const allowed = has !== 'none' && ROLES.indexOf(has) >= ROLES.indexOf(needs);
    expect(may([{ kind: 'role', role: needs }], { role: has })).toBe(allowed);
  });
});

describe('what the configuration grants replaces the default', () => {
  test.each<[string, Grant[], Parameters<typeof caller>[0], boolean]>([
    ['nobody', [], { role: 'admin' }, false],
    ['a person', [{ kind: 'person', login: 'Bob' }], { role: 'read' }, true],
    ['another person', [{ kind: 'person', login: 'bo' }], { role: 'admin' }, false],
    ['a team', [{ kind: 'team', team: 'Acme/Platform' }], { role: 'read', teams: ['acme/platform'] }, true],
    [
      'another team',
      [{ kind: 'team', team: 'acme/platform' }],
      { role: 'admin', teams: ['other/platform', 'acme/platform-x'] },
      false,
    ],
    ['the author', [{ kind: 'author' }], { role: 'read', isAuthor: true }, true],
    ['not the author', [{ kind: 'author' }], { role: 'admin' }, false],
    ['a person where the role is unknown', [{ kind: 'person', login: 'bob' }], { role: undefined }, false],
    [
      'a custom role by team',
      [{ kind: 'team', team: 'acme/platform' }],
      { role: 'deployer', teams: ['acme/platform'] },
      true,
    ],
    ['15 a bot', [{ kind: 'person', login: 'bob' }], { isBot: true }, false],
  ])('%s', (_name, grants, change, allowed) => expect(may(grants, change)).toBe(allowed));
});

test('what gave the right is told', () => {
  expect(authorize(config(), publish, caller())).toEqual({ kind: 'allowed', by: 'the role write or higher' });
});

test('a refusal notifies nobody', () => {
  const access = new Map<string, readonly Grant[]>([
    [
      'publish',
      [
        { kind: 'team', team: 'acme/platform' },
        { kind: 'person', login: 'zoe' },
      ],
    ],
  ]);
  const answer = authorize(config({ access }), publish, caller());
  expect(answer).toMatchObject({
    message: expect.stringContaining('the team `acme/platform`, or `zoe`') as string,
  });
  expect(JSON.stringify(answer)).not.toContain('@');
});
