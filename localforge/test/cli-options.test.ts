import { describe, expect, test } from 'vitest';

import { HELP, readCommandLine, seededConfig, type Start } from '../src/cli-options.ts';
import { parseForgeConfig } from '../src/config.ts';

function started(...args: string[]): Start {
  const line = readCommandLine(args);
  if (line.kind !== 'start') throw new Error(JSON.stringify(line));
  return line;
}

describe('the command line', () => {
  test('names repositories, people and how real the forge is', () => {
    const line = started(
      '--repo',
      'acme/web=a=b/c',
      '--repo',
      'bob/own',
      '--user',
      'bob',
      '--realistic',
      '--seed',
      '7',
    );
    expect(line).toMatchObject({
      repositories: [
        { owner: 'acme', name: 'web', from: 'a=b/c' },
        { owner: 'bob', name: 'own' },
      ],
      users: ['bob'],
      realistic: 7,
      port: 0,
      json: false,
    });
    expect(started('--realistic').realistic).toBe(1);
    expect(started().realistic).toBe(false);
  });

  test.each([
    [['--port', '65536'], '--port'],
    [['--port', '1e3'], '--port'],
    [['--seed', '1'], '--realistic'],
    [['--realistic', '--seed', 'x'], '--seed'],
    [['--repo', 'web'], '--repo'],
    [['--repo', 'acme/web/x'], '--repo'],
    [['--webhook', 'ftp://x'], '--webhook'],
    [['--name', 'http://forge'], '--name'],
    [['--frob'], '--frob'],
    [['word'], 'word'],
  ])('%j is refused, with the option named', (args, named) => {
    expect(readCommandLine([...args, '--json'])).toMatchObject({
      kind: 'wrong',
      message: expect.stringContaining(named),
      json: true,
    });
  });

  test('every option is in the help', () => {
    const known = [...HELP.matchAll(/--([a-z-]+)/g)].map(([, name]) => name!);
    const flags = known.filter(
      (name) => !/^(?:repo|user|config|manifest|webhook|port|host|name|data|seed)$/.test(name),
    );
    for (const name of flags) expect(readCommandLine([`--${name}`]).kind, name).not.toBe('wrong');
    expect(known).toEqual(expect.arrayContaining(['own-api-origin', 'manifest', 'private', 'version']));
  });
});

function seed(args: readonly string[], config = {}): ReturnType<typeof parseForgeConfig> {
  return parseForgeConfig(seededConfig(config, started(...args)));
}

describe('the seeded configuration', () => {
  test('is one person without any', () => {
    expect(seed([])).toMatchObject({
      tokens: { 'alice-token': { login: 'alice' } },
      users: [{ login: 'alice' }],
      repos: [],
    });
  });

  test('makes organizations of owners who are nobody yet, owned by all people, and installs the App there', () => {
    const made = seed([
      '--user',
      'bob',
      '--user',
      'carol',
      '--repo',
      'acme/web',
      '--repo',
      'acme/api',
      '--repo',
      'bob/own',
      '--private',
    ]);
    expect(made.orgs).toEqual([{ login: 'acme', members: { bob: 'admin', carol: 'admin' }, teams: [] }]);
    expect(made.repos.map(({ owner, name, private: hidden }) => [owner, name, hidden])).toEqual([
      ['acme', 'web', true],
      ['acme', 'api', true],
      ['bob', 'own', true],
    ]);
    expect(made.app.installations.map(({ account }) => account)).toEqual(['acme', 'bob']);
  });

  test('adds to what a file says and changes nothing of it', () => {
    const file = {
      tokens: { t: { login: 'dora' } },
      orgs: [{ login: 'acme', members: { dora: 'member' as const } }],
      repos: [{ owner: 'acme', name: 'old' }],
      app: { installations: [{ account: 'acme', repositories: ['old'] }] },
    };
    const made = seed(['--repo', 'acme/web', '--repo', 'new/one'], file);
    expect(made.tokens).toEqual({ t: { login: 'dora' } });
    expect(made.orgs).toMatchObject([
      { login: 'acme', members: { dora: 'member' } },
      { login: 'new', members: { dora: 'admin' } },
    ]);
    expect(made.app.installations).toEqual([
      { account: 'acme', repositories: ['old'] },
      { account: 'new', repositories: 'all' },
    ]);
    expect(made.repos.map(({ name }) => name)).toEqual(['old', 'web', 'one']);
  });
});
