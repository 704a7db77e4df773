/** Asks kpt to update a package: `kpt pkg get` of base, the local edits, then `kpt pkg update` to upstream. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { z } from 'zod';

import { BARE, type Input, input, localOf, published } from '../../test/corpus/merge/trees.ts';
import { type Tree, changesBetween } from '../../test/corpus/tree-changes.ts';
import type { Family } from './family.ts';

export const merge: Family = {
  name: 'merge',
  tools: ['kpt'],
  ask: (one, program) => {
    const root = mkdtempSync(join(tmpdir(), 'portico-oracle-'));
    try {
      return Promise.resolve(new Update(root, program, z.object(input).parse(one)).answer());
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  },
};

/** The address that Kptfiles name for every repository; git reads the directory of the case instead. */
const HOST = 'https://git.example/';

class Update {
  readonly #root: string;
  readonly #program: string;
  readonly #one: Input;
  readonly #env: NodeJS.ProcessEnv;

  constructor(root: string, program: string, one: Input) {
    this.#root = root;
    this.#program = program;
    this.#one = one;
    const config = join(root, 'gitconfig');
    writeFileSync(
      config,
      `[user]\nname = oracle\nemail = oracle@example.org\n[url "file://${root}/"]\ninsteadOf = ${HOST}\n`,
    );
    const date = '2026-01-01T00:00:00Z';
    // Nothing of the machine may enter a result: neither its git configuration, nor the time.
    this.#env = {
      PATH: process.env['PATH'],
      HOME: root,
      GIT_CONFIG_GLOBAL: config,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
      KPT_CACHE_DIR: join(root, 'cache'),
    };
  }

  answer(): Record<string, unknown> {
    const { base, upstream } = published(this.#one);
    this.#publish('acme', 'pkg', [
      ['v1', base],
      ['v2', upstream],
    ]);
    if (this.#one.parts !== undefined) this.#publish('parts', '.', Object.entries(this.#one.parts));
    mkdirSync(join(this.#root, 'work'));
    const refused = this.#kpt('pkg', 'get', `${HOST}acme.git/pkg@v1`, 'pkg');
    if (refused !== undefined) throw new Error(`kpt pkg get: ${refused}`);
    const link = readFileSync(join(this.#root, 'work/pkg/Kptfile'), 'utf8').match(LINKS)?.join('') ?? '';
    const got = changesBetween({ Kptfile: BARE, ...base }, this.#package());
    const local = localOf({ ...this.#one, got }, base);
    this.#putLocal(local, link);
    const { strategy } = this.#one;
    const failed = this.#kpt(
      'pkg',
      'update',
      'pkg@v2',
      ...(strategy === undefined ? [] : ['--strategy', strategy]),
    );
    const expected =
      failed === undefined ? { files: changesBetween(local, this.#package()) } : { error: failed };
    return this.#one.plain === true ? { expected } : { got, expected };
  }

  /** Makes a repository with a tag for each tree. */
  #publish(repository: string, directory: string, trees: readonly (readonly [string, Tree])[]): void {
    const at = join(this.#root, `${repository}.git`);
    mkdirSync(at);
    const git = (...args: string[]): unknown =>
      execFileSync('git', args, { cwd: at, env: this.#env, stdio: 'pipe' });
    git('init', '-q', '-b', 'main', '.');
    for (const [tag, files] of trees) {
      git('rm', '-rfq', '--ignore-unmatch', '.');
      this.#write(join(at, directory), files);
      git('add', '-Af');
      git('commit', '-q', '--allow-empty', '-m', tag);
      git('tag', tag);
    }
  }

  #write(at: string, files: Tree): void {
    mkdirSync(at, { recursive: true });
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(at, path)), { recursive: true });
      writeFileSync(join(at, path), text);
      if (this.#one.executable?.includes(path) === true) chmodSync(join(at, path), 0o755);
    }
  }

  /** Writes local with the links of its Kptfile, as far as the case has them. */
  #putLocal(local: Tree, link: string): void {
    const at = join(this.#root, 'work/pkg');
    rmSync(at, { recursive: true });
    const { lacks, stored } = this.#one;
    let links = lacks === 'upstream' ? '' : link;
    if (lacks === 'lock') links = link.replace(/^upstreamLock:\n(?: .*\n)*/m, '');
    if (stored !== undefined) links = links.replace(/updateStrategy: .*/, `updateStrategy: ${stored}`);
    this.#write(at, { ...local, Kptfile: `${local['Kptfile'] ?? ''}${links}` });
    const git = (...args: string[]): unknown =>
      execFileSync('git', args, { cwd: dirname(at), env: this.#env, stdio: 'pipe' });
    git('init', '-q', '-b', 'main', '.');
    git('add', '-Af');
    git('commit', '-q', '-m', 'local');
  }

  /** Returns the error's text where kpt fails. */
  #kpt(...args: string[]): string | undefined {
    try {
      execFileSync(this.#program, args, { cwd: join(this.#root, 'work'), env: this.#env, stdio: 'pipe' });
      return undefined;
    } catch (error) {
      const text = String((error as { stderr?: Buffer }).stderr);
      // Before the error stands the progress of the command.
      const told = text.slice(text.lastIndexOf('Error: ') + 'Error: '.length);
      return told.replaceAll(`${this.#root}/work/`, '').replaceAll(this.#root, '').trim();
    }
  }

  /** Reads the working package without the links of its root Kptfile: the update's driver writes them, not the merge. */
  #package(): Tree {
    const at = join(this.#root, 'work/pkg');
    const entries = readdirSync(at, { recursive: true, withFileTypes: true });
    return Object.fromEntries(
      entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(at.length + 1))
        .sort()
        .map((path) => {
          const text = readFileSync(join(at, path), 'utf8');
          return [path, path === 'Kptfile' ? text.replaceAll(LINKS, '') : text] as const;
        }),
    );
  }
}

const LINKS = /^upstream(?:Lock)?:\n(?: .*\n)*/gm;
