import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { cliReference } from '../../src/cli/reference.ts';
import { VERBS } from '../../src/cli/table.ts';
import { portico, ROOT, run, scratch } from './run-portico.ts';

test('docs/cli.md is what the table of verbs says', () => {
  expect(readFileSync(join(ROOT, 'docs/cli.md'), 'utf8'), 'run: npm run docs').toBe(cliReference());
});

/** What bash offers for a line whose last word is being typed. */
async function offered(line: string): Promise<string[]> {
  const script = [
    'source "$1"; shift',
    'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _portico; printf "%s\\n" "${COMPREPLY[@]}"',
  ].join('\n');
  using dir = scratch();
  dir.write({ completion: (await portico(['completion', 'bash'])).stdout });
  // Bash reads the machine's bashrc where its input is a socket, as Node's pipes are.
  const { code, stdout, stderr } = await run('bash', [
    '--norc',
    '-uc',
    script,
    'bash',
    dir.path('completion'),
    ...line.split(' '),
  ]);
  expect([code, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter((word) => word !== '');
}

describe('completion', () => {
  test('of another shell is refused', async () => {
    expect(await portico(['completion', 'tcsh'])).toMatchObject({ code: 64, stdout: '' });
  });

  test('bash offers verbs, kpt’s names, options and their values', { tags: ['bash'] }, async () => {
    expect(await offered('portico ren')).toEqual(['render']);
    expect(await offered('portico ')).toEqual(
      expect.arrayContaining([...VERBS.map(({ name }) => name), 'fn', 'pkg']),
    );
    expect(await offered('portico fn ')).toEqual(['render', 'eval']);
    expect(await offered('portico pkg update --str')).toEqual(['--strategy']);
    expect(await offered('portico diff --diff-type co')).toEqual(['combined']);
    expect(await offered('portico eval -t ')).toEqual(['mutator', 'validator']);
    expect(await offered('portico completion z')).toEqual(['zsh']);
  });

  test('fish offers them', { tags: ['fish'] }, async () => {
    using dir = scratch();
    dir.write({ 'portico.fish': (await portico(['completion', 'fish'])).stdout });
    const offers = async (line: string): Promise<string[]> => {
      const env = { HOME: dir.path('home') };
      const asked = `source ${dir.path('portico.fish')}; complete -C ${JSON.stringify(line)}`;
      const { stdout, stderr } = await run('fish', ['-c', asked], { env });
      expect(stderr).toBe('');
      return stdout.split('\n').flatMap((one) => (one === '' ? [] : [one.split('\t')[0] ?? '']));
    };
    expect(await offers('portico ren')).toEqual(['render']);
    expect(await offers('portico pkg upd')).toEqual(['update']);
    expect(await offers('portico diff --diff-type co')).toEqual(['combined']);
    expect(await offers('portico render --allow-e')).toEqual(['--allow-exec']);
  });

  test('zsh loads it without a complaint', { tags: ['zsh'] }, async () => {
    using dir = scratch();
    dir.write({ _portico: (await portico(['completion', 'zsh'])).stdout });
    const script = `autoload -U compinit && compinit -D -u; source ${dir.path('_portico')} && print $_comps[portico]`;
    const { stdout, stderr } = await run('zsh', ['-fc', script], { env: { HOME: dir.path('.') } });
    expect([stdout, stderr]).toEqual(['_portico\n', '']);
  });
});
