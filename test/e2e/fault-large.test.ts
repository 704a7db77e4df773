import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { smallPackage } from '../reconcile/small-package.ts';
import { makeGround, type FaultStage, type Ground } from './fault-stage.ts';
import { cloneAs, type GitClient } from './git-client.ts';
import { below, configuration } from './packages.ts';
import type { PorticoProcess } from './portico-process.ts';

/**
 * What a person can push that is far larger than a package should be, `npm run faults` only: each is answered in the
 * proposal, in bounded memory, while the next proposal of somebody else goes its way.
 */
vi.setConfig({ testTimeout: 1_800_000 });

const LONG = process.env['PORTICO_LONG'] === '1';
const MAX_MEBIBYTES = 1_500;

let ground: Ground;
let stage: FaultStage;
let bot: PorticoProcess;
let git: GitClient;
let folder: string;

beforeAll(async () => {
  if (!LONG) return;
  ground = await makeGround(['shop']);
  stage = await ground.open('large');
  await stage.repository('shop').seed({
    ...below('web', smallPackage('web')),
    ...below('calm', smallPackage('calm')),
    '.github/portico.yaml': configuration('shop', 'branch: main\npublish: { requireApprovals: 0 }'),
  });
  bot = await stage.startBot();
  folder = join(ground.root, 'clone');
  git = await cloneAs(`${stage.forge.gitUrl}/acme/shop.git`, 'alice-token', folder);
  await git('config', 'user.name', 'Alice');
  await git('config', 'user.email', 'alice@example.com');
  await stage.quiet();
}, 180_000);

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
  ground?.remove();
});

describe('more than a package should hold', { tags: ['campaign'] }, () => {
  test.each([
    ['a file of 120 MB', 'a-file', bigFile(120), /big-0\.bin.* in .*web.* has 125829120 bytes/],
    [
      'twenty files of 10 MB, a push of 200 MB',
      'files-of-10',
      bigFiles(20, 10),
      /web.* has 2097\d+ bytes; the limit is/,
    ],
    ['a hundred thousand files', 'many', manyFiles(100_000), /web.* has 100002 files; the limit is/],
  ] as const)('%s: told in the proposal', async (_what, branch, add, told) => {
    const summary = await propose(branch, 'web', add);
    expect(summary.conclusion).toBe('failure');
    expect(summary.text).toMatch(told);
  });

  test.each([
    ['as many files as a package may have', 'full', manyFiles(19_000)],
    ['a long list of resources in one file', 'list', manyDocuments(9_000)],
  ] as const)('%s: checked as any other', async (_what, branch, add) => {
    expect((await propose(branch, 'web', add)).conclusion).toBe('success');
  });

  test('a few objects that are two million paths: told in the proposal', async () => {
    await git('push', '-q', 'origin', `${commitBomb()}:refs/heads/drafts/bomb`);
    const { number } = (await stage.repository('shop').create('drafts/bomb')).data;
    const summary = await besideCalm('bomb', number);
    expect(summary.conclusion).toBe('failure');
    expect(summary.text).toMatch(/more than/);
  });

  test('a hundred thousand files and 120 MB beside the packages are nobody’s business', async () => {
    expect((await propose('beside', 'elsewhere', besideACalmChange)).conclusion).toBe('success');
  });
});

/** Pushes a branch, opens its pull request, waits for the end of the checks, and asks for one of another package after it. */
async function propose(
  branch: string,
  directory: string,
  add: (directory: string) => void,
): Promise<{ readonly conclusion: string | null | undefined; readonly text: string }> {
  const shop = stage.repository('shop');
  await git('checkout', '-qf', '-b', `drafts/${branch}`, 'origin/main');
  add(directory);
  await git('add', '-A');
  await git('commit', '-qm', `Add ${branch}`);
  await git('push', '-q', 'origin', `drafts/${branch}`);
  const { number } = (await shop.create(`drafts/${branch}`)).data;
  return besideCalm(branch, number);
}

/** What the checks of a proposal say, once those of a small one that was opened after it are green. */
async function besideCalm(
  branch: string,
  number: number,
): Promise<{ readonly conclusion: string | null | undefined; readonly text: string }> {
  const shop = stage.repository('shop');
  await git('checkout', '-qf', '-b', `drafts/calm-${branch}`, 'origin/main');
  changeCalm(branch);
  await git('commit', '-qam', 'Change');
  await git('push', '-q', 'origin', `drafts/calm-${branch}`);
  const calm = (await shop.create(`drafts/calm-${branch}`)).data.number;
  await stage.quiet(600);
  const [check, other] = [
    (await shop.checksOf(number)).get('portico'),
    (await shop.checksOf(calm)).get('portico'),
  ];
  expect(other?.conclusion).toBe('success');
  const peak = peakOf(bot.child.pid!);
  process.stderr.write(`${branch}: ${check?.conclusion}, peak ${peak} MiB\n`);
  expect(peak).toBeLessThan(MAX_MEBIBYTES);
  const texts = [...(await shop.checksOf(number)).values()].map(
    ({ output }) => `${output.title}\n${output.summary}\n${output.text}`,
  );
  return { conclusion: check?.conclusion, text: texts.join('\n') };
}

function run(args: readonly string[], input = ''): string {
  return execFileSync('git', args, { cwd: folder, input, encoding: 'utf8' }).trim();
}

/** Seven trees, each with the one below eleven times, in a package. */
function commitBomb(): string {
  const tree = (lines: readonly string[]): string => run(['mktree'], `${lines.join('\n')}\n`);
  let bomb = tree([`100644 blob ${run(['hash-object', '-w', '--stdin'], resource(0))}\tm.yaml`]);
  for (let level = 0; level < 6; level += 1) {
    bomb = tree(Array.from({ length: 11 }, (_, at) => `040000 tree ${bomb}\t${at}`));
  }
  const web = tree([...run(['ls-tree', 'origin/main:web']).split('\n'), `040000 tree ${bomb}\tbomb`]);
  const others = run(['ls-tree', 'origin/main'])
    .split('\n')
    .filter((line) => !line.endsWith('\tweb'));
  const top = tree([...others, `040000 tree ${web}\tweb`]);
  const commit = run(['commit-tree', '-p', 'origin/main', '-m', 'Add a bomb', top]);
  return commit;
}

function besideACalmChange(directory: string): void {
  manyFiles(100_000)(directory);
  bigFile(120)(directory);
  changeCalm();
}

function changeCalm(value = 'changed'): void {
  const path = join(folder, 'calm', 'config.yaml');
  writeFileSync(path, readFileSync(path, 'utf8').replace('blue', value));
}

function bigFile(mebibytes: number): (directory: string) => void {
  return bigFiles(1, mebibytes);
}

function bigFiles(count: number, mebibytes: number): (directory: string) => void {
  return (directory) => {
    mkdirSync(join(folder, directory), { recursive: true });
    for (let at = 0; at < count; at += 1) {
      writeFileSync(join(folder, directory, `big-${at}.bin`), randomBytes(mebibytes * 1024 * 1024));
    }
  };
}

function manyFiles(count: number): (directory: string) => void {
  return (directory) => {
    for (let at = 0; at < count; at += 1) {
      const inner = join(folder, directory, `part-${at % 100}`);
      mkdirSync(inner, { recursive: true });
      writeFileSync(join(inner, `m-${at}.yaml`), resource(at));
    }
  };
}

function manyDocuments(count: number): (directory: string) => void {
  return (directory) => {
    const all = Array.from({ length: count }, (_, at) => resource(at));
    writeFileSync(join(folder, directory, 'all.yaml'), all.join('---\n'));
  };
}

function resource(at: number): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m-${at}\ndata:\n  at: "${at}"\n`;
}

/** MiB. */
function peakOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(text)?.[1] ?? 0) / 1024);
}
