/** One case of a test of policies: resources, a guardrail, and what is expected of it. */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { stringify } from 'yaml';
import type { z } from 'zod';

import type { Policy } from '../../cel/policy.ts';
import type { PackageFiles } from '../../package/package.ts';
import type { FunctionRuntime } from '../../package/render/function-runtime.ts';
import type { Finding, Guardrail } from '../../package/render/render-types.ts';
import { renderPackage } from '../../package/render/render.ts';
import type { Call } from '../verb.ts';

/** A document with cases, and where it stands. */
export interface Suite {
  readonly file: string;
  readonly folder: string;
  readonly data: unknown;
}

export interface SuiteTools {
  readonly call: Call;
  readonly runtime: FunctionRuntime;
  readonly signal: AbortSignal;
}

export interface CaseResult {
  readonly name: string;
  readonly state: 'passed' | 'failed' | 'not-run' | 'skipped';
  /** What differs from what is expected, or why it was not run; lines. */
  readonly why?: readonly string[];
}

/** A case that cannot be run: its message says why. */
export class NotRun extends Error {}

export interface Judged {
  /** Errors that the guardrail found. */
  readonly findings: readonly Finding[];
  /** Resources that it is about, as `resourceName` spells them; null: it cannot be told apart from those that are right. */
  readonly about: ReadonlySet<string> | null;
  readonly files: PackageFiles;
}

/** Runs one guardrail over resources as a package of their own. @throws NotRun */
export async function judgeResources({
  guardrail,
  resources,
  before,
  place = { path: '.', labels: {} },
  tools: { runtime, signal },
}: {
  readonly guardrail: Guardrail;
  readonly resources: PackageFiles;
  readonly before?: PackageFiles | undefined;
  readonly place?: { readonly path: string; readonly labels: Readonly<Record<string, string>> };
  readonly tools: Pick<SuiteTools, 'runtime' | 'signal'>;
}): Promise<Judged> {
  const kptfile = fileOf(
    stringify({
      apiVersion: 'kpt.dev/v1',
      kind: 'Kptfile',
      metadata: { name: basename(place.path) === '.' ? 'test' : basename(place.path), labels: place.labels },
    }),
  );
  const packaged = (files: PackageFiles): PackageFiles => new Map([['Kptfile', kptfile], ...files]);
  const context = { path: place.path, repository: '', ...(before && { base: packaged(before) }) };
  const files = packaged(resources);
  const run = async (one: Guardrail) => {
    // A test is about what a guardrail says, and not about what that holds up.
    const { exemptions: _exemptions, ...rest } = one;
    const outspoken: Guardrail = { ...rest, mode: 'enforce' };
    const result = await renderPackage({ files, runtime, guardrails: [outspoken], context, signal });
    if (result.problem !== undefined) throw new NotRun(`${result.problem.message} ${result.problem.hint}`);
    const refused = result.runs.find((each) => each.refused !== undefined)?.refused;
    if (refused !== undefined) throw new NotRun(`${refused.message} ${refused.hint}`);
    return result;
  };
  const result = await run(guardrail);
  const { policy } = guardrail;
  const probed =
    policy === undefined || policy.wholePackage === true ? null : await run(probe(guardrail, policy));
  return {
    findings: result.findings.filter(({ severity }) => severity === 'error'),
    about:
      probed && new Set(probed.findings.filter(({ severity }) => severity === 'error').map(resourceName)),
    files: result.files,
  };
}

/** Finds fault with every resource that the policy is about. */
function probe(
  guardrail: Guardrail,
  { match, conditions, variables, onError, deletions }: Policy,
): Guardrail {
  const policy: Policy = {
    ...(match && { match }),
    ...(conditions && { conditions }),
    ...(variables && { variables }),
    ...(onError && { onError }),
    ...(deletions !== undefined && { deletions }),
    validations: [{ expression: 'false', message: 'the policy is about it' }],
  };
  return { ...guardrail, type: 'validator', policy };
}

/** `Kind/name`, with the namespace ahead where there is one: `Kind/namespace/name`. */
export function resourceName({ item }: Pick<Finding, 'item'>): string {
  const { kind = '', namespace = '', name = '' } = item.resourceRef ?? {};
  return [kind, ...(namespace === '' ? [] : [namespace]), name].join('/');
}

/** Files that a suite names, relative to it, and resources that it writes out. @throws NotRun */
export async function resourceFiles(folder: string, wanted: readonly unknown[]): Promise<PackageFiles> {
  const files = await Promise.all(
    wanted.map(async (one, at) => {
      if (typeof one !== 'string') return [`${at}-inline.yaml`, fileOf(stringify(one))] as const;
      return [
        `${at}-${basename(one).replace(/\.json$/, '.yaml')}`,
        { mode: '100644' as const, bytes: await namedFile(folder, one) },
      ] as const;
    }),
  );
  return new Map(files);
}

/** @throws NotRun where it cannot be read */
export async function namedFile(folder: string, path: string): Promise<Uint8Array> {
  return readFile(join(folder, path)).catch(() => {
    throw new NotRun(`${path} cannot be read; paths are relative to the file of the test.`);
  });
}

/** The data of a suite. @throws NotRun with its first mistake */
export function checked<Schema extends z.ZodType>(schema: Schema, data: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new NotRun(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'the test cannot be read'}`);
}

/** The outcome of a case; one that cannot be run says why. */
export async function caseResult(
  name: string,
  differences: () => Promise<readonly string[]>,
): Promise<CaseResult> {
  try {
    const why = await differences();
    return why.length === 0 ? { name, state: 'passed' } : { name, state: 'failed', why };
  } catch (error) {
    if (!(error instanceof NotRun)) throw error;
    return { name, state: 'not-run', why: [error.message] };
  }
}

/** What a finding says, for a person who reads the test. */
export function findingText(finding: Finding): string {
  const { field } = finding.item;
  return `${resourceName(finding)}${field === undefined ? '' : ` ${field.path}`}: ${finding.message}`;
}

function fileOf(text: string): { readonly mode: '100644'; readonly bytes: Uint8Array } {
  return { mode: '100644', bytes: new TextEncoder().encode(text) };
}
