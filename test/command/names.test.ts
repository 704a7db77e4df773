import { expect, test } from 'vitest';

import { commands } from '../../src/command/table.ts';
import { parseRepositoryConfig } from '../../src/config/parse-repository-config.ts';

const HEAD = 'apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nmetadata: { name: b }\n';
const parse = (access: readonly string[]): ReturnType<typeof parseRepositoryConfig> =>
  parseRepositoryConfig({ file: 'p', bytes: Buffer.from(`${HEAD}spec:\n  access:\n${access.join('')}`) });

test('the configuration may give rights to each command of the table, and to no other', () => {
  const access = commands.map(({ name }) => `    ${name}: [admin]\n`);
  const { config } = parse(access);
  expect([...(config?.access.keys() ?? [])]).toEqual(commands.map(({ name }) => name));
  expect(parse([...access, '    greet: [admin]\n']).ok).toBe(false);
});
