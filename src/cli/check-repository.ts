/** `portico check` at the top of a repository: all its packages, by its own configuration. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { parseRepositoryConfig } from '../config/parse-repository-config.ts';
import { PorticoError } from '../error.ts';
import { counted } from '../text/counted.ts';
import { checkPackage, type Checked } from './check-package.ts';
import { openRepository } from './checkout.ts';
import { EXIT } from './exit-code.ts';
import { reportLeftovers } from './leftovers.ts';
import { CONFIGURATION, packagesIn } from './packages-in.ts';
import { fromHere } from './system-error.ts';
import type { Call } from './verb.ts';

/**
 * Checks the packages of the registered directory; with `--changed-since`, those that differ from where that revision and HEAD
 * meet, and all of them where the configuration differs. The worst of their exit codes. Throws `CONFIG_INVALID` and `GIT_FAILED`.
 */
export async function checkRepository(call: Call, top: string): Promise<number> {
  const { terminal } = call;
  const config = join(top, CONFIGURATION);
  const configured = existsSync(config);
  const registered = configured ? await registeredDirectory(config) : '.';
  const packages = packagesIn(join(top, registered)).map((path) => pathIn(registered, path));
  const since = call.text('changed-since');
  const changed = since === undefined ? undefined : await changedFiles(top, since, call.signal);
  const chosen = changed === undefined ? packages : packages.filter((path) => concerns(path, changed));

  const withConfig: Call = configured ? { ...call, ...configOption(call, config) } : call;
  const done: (Checked & { readonly path: string })[] = [];
  for (const [at, path] of chosen.entries()) {
    terminal.progress(`checking ${path} (${at + 1} of ${chosen.length})`);
    const directory = join(top, path);
    const typed = fromHere(directory, call.path('.'));
    const checked = await checkPackage(withConfig, directory, typed);
    if (!checked.ok) terminal.say(`${terminal.style('red', '[FAIL]', 'stderr')} package ${typed}`);
    done.push({ ...checked, path });
  }
  terminal.progress('');
  const failed = done.filter(({ ok }) => !ok);
  const home = join(top, registered);
  const known = packagesIn(home);
  const leftOut = reportLeftovers(call, home, known, (path) => fromHere(join(home, path), call.path('.')));
  if (terminal.json) {
    terminal.document({
      ok: failed.length === 0,
      configuration: configured ? CONFIGURATION : null,
      packages: done.map(({ path, document }) => ({ package: path, ...document })),
      leftOut: leftOut.map(({ path, what }) => ({ path, what })),
    });
  } else {
    const left = packages.length - chosen.length;
    const skipped = left === 0 ? '' : ` ${counted(left, 'package')} did not change since ${since ?? ''}.`;
    const what =
      failed.length === 0
        ? `${counted(done.length, 'package')} ${done.length === 1 ? 'is' : 'are'} valid and rendered.`
        : `${failed.length} of ${counted(done.length, 'package')} failed: ${failed.map(({ path }) => path).join(', ')}`;
    terminal.print(`${what}${skipped}`);
  }
  return Math.max(EXIT.ok, ...done.map(({ exit }) => exit));
}

async function registeredDirectory(config: string): Promise<string> {
  const parsed = parseRepositoryConfig({ file: CONFIGURATION, bytes: await readFile(config) });
  if (parsed.ok) return parsed.config.directory;
  const problems = parsed.problems.map(
    ({ file, line, message, hint }) => `${file}:${line}: ${message} ${hint}`,
  );
  throw new PorticoError('CONFIG_INVALID', `${CONFIGURATION} has errors`, {
    blame: 'user',
    hint: problems.join('\n'),
  });
}

/** The call as if `--config` had named the repository's own configuration. */
function configOption({ has, text }: Call, config: string): Pick<Call, 'has' | 'text'> {
  return {
    has: (option) => option === 'config' || has(option),
    text: (option) => (option === 'config' ? config : text(option)),
  };
}

/** Paths from the top that differ between the work tree and where the revision and HEAD meet; untracked ones too. */
async function changedFiles(top: string, since: string, signal: AbortSignal): Promise<readonly string[]> {
  await using clone = await openRepository(top, signal);
  const base = await clone.git('merge-base', '--end-of-options', since, 'HEAD');
  const [tracked, others] = await Promise.all([
    clone.git('diff', '--name-only', '--no-renames', '-z', '--end-of-options', base, '--'),
    clone.git('ls-files', '--others', '--exclude-standard', '-z'),
  ]);
  return `${tracked}\0${others}`.split('\0').filter((path) => path !== '');
}

function concerns(path: string, changed: readonly string[]): boolean {
  return changed.some(
    (file) =>
      path === '.' ||
      file.startsWith(`${path}/`) ||
      file === CONFIGURATION ||
      file.startsWith('.github/portico/'),
  );
}

function pathIn(registered: string, path: string): string {
  if (path === '.') return registered;
  return registered === '.' ? path : `${registered}/${path}`;
}
