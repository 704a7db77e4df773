/**
 * The GitHub Action: starts the command line beside it with what the step says, and tells the runner what it found.
 * Nothing of the repository decides what is started.
 */

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

import { z } from 'zod';

import { PorticoError } from '../error.ts';
import { codeSpan } from '../text/markdown.ts';
import { scrubSecrets } from '../text/secrets.ts';
import { readCheckReport } from './check-report.ts';
import { readInputs, type Inputs } from './inputs.ts';
import { readRunReport, runSummary } from './run-report.ts';
import { sarif } from './sarif.ts';
import { environmentFault } from './secret-environment.ts';
import { annotation, annotations, checkSummary, output } from './workflow-commands.ts';

const PROGRAM = fileURLToPath(new URL('../portico.js', import.meta.url));

/** The exit code of `portico`, or 64 for inputs that are wrong. */
async function main(): Promise<number> {
  const inputs = readInputs(process.env);
  if (!(await areSecretsSafe(inputs))) return 1;
  const { code, stdout } = await portico(inputs);
  if (inputs.mode === 'check') tellCheck(inputs, stdout);
  else if (inputs.image !== '') reportImage(stdout, code);
  else if (inputs.mode === 'catalog') tellCatalog(stdout, code);
  else tellRun(stdout);
  return code;
}

/** Annotates the step where its secrets are not known to be out of reach; false where it must not run then. */
async function areSecretsSafe({ secrets }: Inputs): Promise<boolean> {
  const fault = secrets && (await environmentFault(secrets));
  if (secrets === undefined || fault === undefined) return true;
  const level = secrets.required ? 'error' : 'warning';
  process.stdout.write(`${annotation(level, scrubSecrets(`${fault.message}\n${fault.hint}`))}\n`);
  return !secrets.required;
}

/** Its messages go to the log, in which text of packages must not be read as commands of the workflow. */
async function portico({
  arguments: argv,
  environment,
  reads,
  login,
}: Inputs): Promise<{ code: number; stdout: string }> {
  const aside = process.env['RUNNER_TEMP'] ?? '/';
  // A run reads nothing of the workspace, so it is nowhere near it.
  const cwd = reads ? process.cwd() : aside;
  using authfile = login && writeLogin(aside, login);
  const token = randomBytes(16).toString('hex');
  process.stdout.write(`::stop-commands::${token}\n`);
  try {
    const child = spawn(process.execPath, [PROGRAM, ...argv, ...(authfile?.options ?? [])], {
      cwd,
      env: { ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const parts: Buffer[] = [];
    child.stdout.on('data', (part: Buffer) => parts.push(part));
    const ended = Promise.withResolvers<number>();
    child.once('error', ended.reject);
    child.once('close', (code) => ended.resolve(code ?? 1));
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal));
    const code = await ended.promise;
    return { code, stdout: Buffer.concat(parts).toString() };
  } finally {
    process.stdout.write(`::${token}::\n`);
  }
}

/** A login for one registry, as `docker login` keeps it, for as long as it is needed. */
function writeLogin(
  folder: string,
  { registry, account, token }: NonNullable<Inputs['login']>,
): Disposable & { readonly options: readonly string[] } {
  const file = join(folder, `portico-login-${randomBytes(8).toString('hex')}.json`);
  const auth = Buffer.from(`${account}:${token}`).toString('base64');
  writeFileSync(file, JSON.stringify({ auths: { [registry]: { auth } } }), { mode: 0o600 });
  return { options: [`--authfile=${file}`], [Symbol.dispose]: () => rmSync(file, { force: true }) };
}

function tellCheck({ arguments: argv, sarif: file }: Inputs, stdout: string): void {
  const report = readCheckReport(stdout, posix.normalize(argv.at(-1) ?? '.'));
  for (const line of annotations(report.findings)) process.stdout.write(`${line}\n`);
  if (file !== '') writeFileSync(file, sarif(report.findings));
  summarize(checkSummary(report));
  const failed = report.packages.filter(({ ok }) => !ok).length;
  setOutputs({ packages: String(report.packages.length), failed: String(failed), sarif: file });
}

/** The command line has made the page; it says on the log what is wrong. */
function tellCatalog(markdown: string, code: number): void {
  summarize(
    code === 0
      ? markdown
      : '### The catalog is not valid, or cannot be compared\n\nThe log of the step says why.\n',
  );
  if (code !== 0)
    process.stdout.write(
      `${annotation('error', 'The catalog is not valid, or cannot be compared: the log says why.')}\n`,
    );
}

function reportImage(document: string, code: number): void {
  if (code !== 0) {
    process.stdout.write(`${annotation('error', 'The catalog was not pushed: the log says why.')}\n`);
    return;
  }
  const { reference, digest } = pushed.parse(JSON.parse(document));
  summarize(`### The catalog\n\n${codeSpan(reference)}\n`);
  setOutputs({ image: reference.slice(0, reference.indexOf('@')), digest });
}

const pushed = z.object({ reference: z.string(), digest: z.string() });

function tellRun(stdout: string): void {
  const report = readRunReport(stdout);
  summarize(runSummary(report));
  if ('code' in report) {
    process.stdout.write(`${annotation('error', `${report.message}\n${report.hint ?? ''}`)}\n`);
    return;
  }
  for (const { job, message, code } of report.failed)
    process.stdout.write(`${annotation('error', `${job}: ${message} (${code})`)}\n`);
  setOutputs({
    changed: JSON.stringify(report.changed),
    failed: String(report.failed.length),
    complete: String(report.complete),
  });
}

function summarize(markdown: string): void {
  const file = process.env['GITHUB_STEP_SUMMARY'] ?? '';
  if (file !== '') appendFileSync(file, scrubSecrets(markdown));
}

function setOutputs(values: Readonly<Record<string, string>>): void {
  const file = process.env['GITHUB_OUTPUT'] ?? '';
  const delimiter = `end_${randomBytes(16).toString('hex')}`;
  if (file === '') return;
  for (const [name, value] of Object.entries(values)) appendFileSync(file, output(name, value, delimiter));
}

try {
  process.exitCode = await main();
} catch (error) {
  const known = error instanceof PorticoError ? error : undefined;
  const message = error instanceof Error ? error.message : String(error);
  process.stdout.write(`${annotation('error', scrubSecrets([message, known?.hint ?? ''].join('\n')))}\n`);
  process.exitCode = known === undefined ? 1 : 64;
}
