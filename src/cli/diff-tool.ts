/** `portico diff --diff-tool`: the two states as directories, for a program that the user names. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { PorticoError } from '../error.ts';
import { splitCommand } from '../function/command-line.ts';
import type { PackageFiles } from '../package/package.ts';
import type { Sides } from './diff-side.ts';
import { EXIT } from './exit-code.ts';
import { writeNewFolder } from './folder-write.ts';
import type { Call } from './verb.ts';

/**
 * Starts the tool with its options and the directories, the older first; with both pairs of a three-way comparison, the common
 * one comes once. A tool says with 1 that there are differences. Throws `DIFF_TOOL_FAILED`.
 */
export async function runDiffTool(call: Call, tool: string, pairs: readonly Sides[]): Promise<number> {
  const place = mkdtempSync(join(tmpdir(), 'portico-diff-'));
  try {
    const states = new Map<PackageFiles, string>();
    for (const side of pairs.flatMap(({ before, after }) => [before, after])) {
      if (states.has(side.files)) continue;
      const directory = join(place, `${states.size + 1}-${side.name.replaceAll(/[^\w.-]+/g, '-')}`);
      states.set(side.files, directory);
      writeNewFolder(directory, side.files);
    }
    const [program = '', ...fixed] = splitCommand(tool);
    const options = splitCommand(call.text('diff-tool-opts') ?? '');
    const code = await started(program, [...fixed, ...options, ...states.values()], call.signal);
    if (code === 0 || code === 1) return EXIT.ok;
    throw new PorticoError('DIFF_TOOL_FAILED', `${program} exited with ${code ?? 'a signal'}`, {
      blame: 'user',
      hint: 'See its message above; choose another one with --diff-tool, or leave the option out.',
    });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

async function started(
  program: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<number | null> {
  const child = spawn(program, args, { stdio: 'inherit', signal });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
}
