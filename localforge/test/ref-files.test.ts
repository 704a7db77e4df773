import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, test } from 'vitest';

import { createBareRepository } from '../src/bare-repository.ts';
import { pktLine } from '../src/pkt-line.ts';
import { answerLsRefs } from '../src/ref-files.ts';

const directory = join(mkdtempSync(join(tmpdir(), 'portico-refs-')), 'repository.git');
afterAll(() => rmSync(join(directory, '..'), { recursive: true }));

function git(args: readonly string[], input: string | Buffer = '', env: Record<string, string> = {}): Buffer {
  return execFileSync('git', ['--git-dir', directory, ...args], { input, env: { ...process.env, ...env } });
}

const fromGit = (request: Buffer): Buffer =>
  git(['upload-pack', '--strict', '--stateless-rpc', directory], request, { GIT_PROTOCOL: 'version=2' });

function request(...args: string[]): Buffer {
  const lines = args.map((arg) => pktLine(`${arg}\n`));
  return Buffer.concat([pktLine('command=ls-refs\n'), Buffer.from('0001'), ...lines, Buffer.from('0000')]);
}

test('refs are told from files as git tells them, byte for byte', async () => {
  await createBareRepository(directory, 'main');
  const ours = request('ref-prefix refs/heads/', 'ref-prefix refs/tags/', 'ref-prefix refs/portico/');
  expect((await answerLsRefs(directory, ours))?.toString()).toBe(fromGit(ours).toString());

  const tree = git(['mktree']).toString().trim();
  const commit = git(['commit-tree', '-m', 'One', tree]).toString().trim();
  const other = git(['commit-tree', '-m', 'Two', tree]).toString().trim();
  const write = (ref: string, to: string): Buffer => git(['update-ref', ref, to]);
  for (const ref of [
    'heads/main',
    'heads/a/b',
    'heads/a-b',
    'heads/a.b',
    'heads/ä',
    'heads/zu',
    'pull/1/head',
  ])
    write(`refs/${ref}`, commit);
  git(['tag', '-a', '-m', 'v1', 'a/v1', commit]);
  git(['pack-refs', '--all']);
  // Packed and loose, packed and gone, loose alone.
  write('refs/heads/a/b', other);
  git(['update-ref', '-d', 'refs/heads/zu']);
  write('refs/portico/published/a/v1', commit);
  const all = fromGit(ours).toString();
  expect(all.split('\n')).toHaveLength(8);
  expect((await answerLsRefs(directory, ours))?.toString()).toBe(all);
  const few = request('ref-prefix refs/heads/a');
  expect((await answerLsRefs(directory, few))?.toString()).toBe(fromGit(few).toString());

  for (const others of [
    request('peel', 'ref-prefix refs/heads/'),
    request('symrefs', 'ref-prefix refs/heads/'),
    request('ref-prefix HEAD'),
    request(),
    ours.subarray(0, -4),
    Buffer.from('0011command=fetch0000'),
  ])
    expect(await answerLsRefs(directory, others)).toBeUndefined();
  git(['symbolic-ref', 'refs/heads/named', 'refs/heads/main']);
  expect(await answerLsRefs(directory, ours)).toBeUndefined();
});
