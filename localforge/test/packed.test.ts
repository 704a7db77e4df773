import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, expect, test } from 'vitest';

const run = promisify(execFile);
const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const MODULES = join(PACKAGE, '../node_modules');
const project = mkdtempSync(join(tmpdir(), 'localforge-packed-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** What somebody writes who has installed the package. */
const CONSUMER = `
import { writeFileSync, mkdirSync } from 'node:fs';
import { startForge, type ForgeOptions } from '@portico/localforge';
import { ForgeError } from '@portico/localforge/error';
import { readManifest } from '@portico/localforge/app-manifest';

mkdirSync('files', { recursive: true });
writeFileSync('files/README.md', 'Hello');
const options = {
  manifest: { ...readManifest(undefined), name: 'Packed' },
  config: { orgs: [{ login: 'acme' }], repos: [{ owner: 'acme', name: 'web', from: 'files' }] },
};
const forge = await startForge(options);
const branch = await fetch(forge.apiUrl + '/repos/acme/web/branches/main');
console.log(branch.status, forge.app.slug);
await forge.close();
// @ts-expect-error: a port is a number
const wrong: ForgeOptions = { port: 'none' };
const unowned = { config: { repos: [{ owner: 'nobody', name: typeof wrong }] } };
await startForge(unowned).catch((error: unknown) => console.log(error instanceof ForgeError));
`;

test('the package as it is published runs and has its types, without any TypeScript of ours', async () => {
  await run(process.execPath, [join(PACKAGE, 'pack.ts')]);
  const place = join(project, 'node_modules/@portico/localforge');
  cpSync(join(PACKAGE, 'dist'), place, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
    readonly bin: { readonly localforge: string };
  };
  expect(manifest).not.toHaveProperty('private');
  for (const name of [...Object.keys(manifest.dependencies), '@types/node']) {
    mkdirSync(dirname(join(project, 'node_modules', name)), { recursive: true });
    symlinkSync(join(MODULES, name), join(project, 'node_modules', name));
  }
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  writeFileSync(join(project, 'consumer.ts'), CONSUMER);
  const strict = [
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--types',
    'node',
    '--skipLibCheck',
  ];
  const tsc = join(MODULES, '.bin/tsc');
  const checked = await run(tsc, ['--noEmit', ...strict, 'consumer.ts'], { cwd: project }).catch(
    (error: { stdout: string }) => error,
  );
  expect(checked.stdout).toBe('');
  const ran = await run(process.execPath, ['consumer.ts'], { cwd: project });
  expect(ran.stdout).toBe('200 packed\ntrue\n');
  const help = await run(process.execPath, [join(place, manifest.bin.localforge), '--help']);
  expect(help.stdout).toMatch(/^Usage: localforge/);
});
