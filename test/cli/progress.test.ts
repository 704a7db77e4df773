import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { ROOT, run, scratch } from './run-portico.ts';
import { upstreamRepo } from './upstream-repo.ts';

const MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata: {a: b}\n';

function kptfile(...functions: readonly string[]): string {
  const mutators = functions.map((image) => `  - image: ${image}\n    configMap: {team: a}\n`).join('');
  const pipeline = mutators === '' ? '' : `pipeline:\n  mutators:\n${mutators}`;
  return `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n${pipeline}`;
}

interface Seen {
  readonly code: number | null;
  /** Every line that was replaced by another one, or removed. */
  readonly passing: readonly string[];
  /** What stands on the screen at the end. */
  readonly left: string;
}

/** What a person at a terminal sees of a command. */
async function watch(
  args: readonly string[],
  cwd: string,
  { TERM = 'xterm', columns = 200 } = {},
): Promise<Seen> {
  const command = [process.execPath, join(ROOT, 'src/portico.js'), ...args].join(' ');
  const line = `stty cols ${columns}; ${command}`;
  const { code, stdout } = await run('script', ['-qec', line, '/dev/null'], {
    cwd,
    env: { TERM, SHELL: '/bin/sh', NO_COLOR: '1' },
  });
  const lines = stdout.replaceAll('\r\n', '\n').split('\n');
  const shown = lines.map((text) => text.split('\r\u001B[2K'));
  return {
    code,
    passing: shown.flatMap((states) => states.slice(0, -1)).filter((text) => text !== ''),
    left: shown.map((states) => states.at(-1) ?? '').join('\n'),
  };
}

describe('on a terminal', { tags: ['script'] }, () => {
  test('render shows each function while it runs, and nothing of it stays', async () => {
    using dir = scratch();
    dir.write({
      'p/Kptfile': kptfile('set-labels:v0.2', 'set-annotations:v0.1'),
      'p/c.yaml': MAP,
      'p/sub/Kptfile': kptfile('set-labels:v0.2'),
      'p/sub/d.yaml': MAP.replace('name: c', 'name: d'),
    });
    const { code, passing, left } = await watch(['render', 'p'], dir.path('.'));
    expect(code, left).toBe(0);
    expect(passing).toEqual(['sub: set-labels:v0.2', '.: set-labels:v0.2', '.: set-annotations:v0.1']);
    expect(left).toContain('changed p/c.yaml\n');
    for (const line of passing) expect(left.split('\n')).not.toContain(line);
    const evaluated = await watch(['eval', 'p', '-i', 'set-labels:v0.2', '--', 'a=b'], dir.path('.'));
    expect(evaluated.passing).toEqual(['running set-labels:v0.2']);
    const narrow = await watch(['eval', 'p', '-i', 'set-labels:v0.2', '--', 'a=c'], dir.path('.'), {
      columns: 22,
    });
    expect(narrow.passing).toEqual(['running set-labels:v0']);
    const unknown = await watch(['eval', 'p', '-i', 'set-labels:v0.2', '--', 'a=d'], dir.path('.'), {
      columns: 0,
    });
    expect(unknown.passing).toEqual(evaluated.passing);
  });

  test('get and update show what they fetch and that they merge', async () => {
    using dir = scratch();
    const { url, commit } = await upstreamRepo(dir);
    await commit({ 'web/Kptfile': kptfile(), 'web/c.yaml': MAP }, 'web/v1');
    await commit({ 'web/c.yaml': MAP.replace('a: b', 'a: two') }, 'web/v2');
    const got = await watch(['get', `${url}/web@v1`, 'mine'], dir.path('.'));
    expect(got).toMatchObject({ code: 0, left: expect.stringMatching(/^mine: 2 files from /m) });
    expect(got.passing).toEqual([expect.stringMatching(/^fetching .*\/blueprints\/web$/)]);
    const updated = await watch(['update', 'mine@v2'], dir.path('.'));
    expect(updated.code, updated.left).toBe(0);
    expect(updated.passing).toEqual([expect.stringMatching(/^fetching .*\/web@v2$/), 'merging']);
    expect(updated.left).not.toContain('fetching');
    expect(dir.read('mine')['c.yaml']).toContain('a: two');
  });

  test('a terminal that cannot move its cursor gets lines that stay, and no passing ones', async () => {
    using dir = scratch();
    dir.write({ 'p/Kptfile': kptfile('set-labels:v0.2'), 'p/c.yaml': MAP });
    const { code, passing, left } = await watch(['render', 'p'], dir.path('.'), { TERM: 'dumb' });
    expect([code, passing]).toEqual([0, []]);
    expect(left).not.toMatch(/^\.: set-labels/m);
  });
});
