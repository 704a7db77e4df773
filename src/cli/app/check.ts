import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { readEnvironment, type Environment } from '../../config/environment.ts';
import { PorticoError } from '../../error.ts';
import { tryDatabase } from '../../main.ts';
import { appFindings } from '../../registration/app-check.ts';
import { readAppFacts } from '../../registration/app-facts.ts';
import { readManifest } from '../../registration/manifest.ts';
import { loadEnvironmentFile } from '../environment-file.ts';
import { EXIT } from '../exit-code.ts';
import type { Call } from '../verb.ts';

const MANIFEST = fileURLToPath(new URL('../../../app.yml', import.meta.url));
const DOOR_TIMEOUT_MS = 10_000;

/** `portico app check`: what the server needs of the forge and of this machine, before somebody waits for it. */
export async function checkApp(call: Call): Promise<number> {
  const { terminal, signal } = call;
  loadEnvironmentFile(call);
  const environment = readEnvironment(process.env, { read: (path) => readFileSync(path, 'utf8') });
  terminal.progress('asking the forge');
  const facts = await readAppFacts(environment, signal);
  const door = facts.webhookUrl === undefined ? null : await knock(facts.webhookUrl, signal);
  terminal.progress('trying the database');
  const findings = appFindings({
    facts,
    manifest: readManifest(readFileSync(MANIFEST, 'utf8')),
    door,
    database: await databaseProblem(environment),
  });
  terminal.progress('');
  if (terminal.json) terminal.document({ app: facts.app.slug, findings });
  for (const { ok, about, message } of terminal.json ? [] : findings) {
    const mark = ok ? terminal.style('green', '[ OK ]') : terminal.style('red', '[FAIL]');
    terminal.print(`${mark} ${about}: ${message}`);
  }
  return findings.every(({ ok }) => ok) ? EXIT.ok : EXIT.failed;
}

/** The status that a request without a signature gets; null where nothing answers. */
async function knock(url: string, signal: AbortSignal): Promise<number | null> {
  try {
    const { status, body } = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-github-event': 'ping' },
      body: '{}',
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(DOOR_TIMEOUT_MS)]),
    });
    await body?.cancel();
    return status;
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

/** An embedded one is tried in a directory beside the server's, which may be running. */
async function databaseProblem(environment: Environment): Promise<string | undefined> {
  const directory = mkdtempSync(join(tmpdir(), 'portico-check-'));
  try {
    await tryDatabase({ ...environment, dataDirectory: directory });
    return undefined;
  } catch (error) {
    const known = error instanceof PorticoError ? error : undefined;
    const message = error instanceof Error ? error.message : String(error);
    const remedy =
      known?.hint ?? 'Check DATABASE_URL, and that its user owns the database or may create schemas in it.';
    return `The database cannot be used: ${message}. ${remedy}`;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
