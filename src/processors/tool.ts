/** Programs that processors need, such as Helm: found on PATH, or where a variable says; known by their digest. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import type { Refusal } from '../error.ts';
import { findProgram } from '../function/sandbox/exec-view.ts';
import { refuse } from './processor-step.ts';

export interface Tool {
  readonly name: ToolKind;
  readonly file: string;
  /** `sha256:…` of the program. */
  readonly digest: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

interface ToolName {
  /** Files that it may have, in this order. */
  readonly programs: readonly string[];
  readonly variable: string;
  readonly title: string;
  readonly install: string;
}

const TOOLS = {
  helm: {
    programs: ['helm'],
    variable: 'PORTICO_HELM',
    title: 'Helm',
    install: 'https://helm.sh/docs/intro/install',
  },
  kustomize: {
    // kubectl has a kustomize in it.
    programs: ['kustomize', 'kubectl'],
    variable: 'PORTICO_KUSTOMIZE',
    title: 'kustomize',
    install: 'https://kubectl.docs.kubernetes.io/installation/kustomize',
  },
} as const satisfies Record<string, ToolName>;

export type ToolKind = keyof typeof TOOLS;

/** Digests of programs by file, size and time of change: they are large, and asked for again and again. */
const digests = new Map<string, string>();
/** Digests of programs that are remembered. */
const MAX_DIGESTS = 100;

/**
 * The program, the one with the wanted digest where one is named. Refused with the ways to get it where there is none.
 */
export async function findTool(
  name: ToolKind,
  wanted: string | undefined,
  host: Variables,
): Promise<{ readonly tool: Tool } | { readonly refused: Refusal }> {
  const { title, install, variable }: ToolName = TOOLS[name];
  const found: Tool[] = [];
  for (const file of candidates(TOOLS[name], host)) {
    const tool = { name, file, digest: await digestOfFile(file) };
    if (wanted === undefined || tool.digest === wanted) return { tool };
    found.push(tool);
  }
  const ways =
    `You have three options: install ${title} where Portico runs, on its PATH (${install}); set its file in ` +
    `${variable}; or run \`portico sources sync\` where it is installed and push the result.`;
  if (found.length === 0) return refuse('TOOL_MISSING', `there is no ${title} here`, ways);
  const those = found.map(({ file, digest }) => `${file} is ${digest}`).join(', ');
  const message = `there is no ${title} here with the digest ${wanted}: ${those}`;
  return refuse('TOOL_DIGEST', message, `${ways} Or set the digest of the installed one.`);
}

function candidates({ programs, variable }: ToolName, host: Variables): readonly string[] {
  const named = (host[variable] ?? '').split(delimiter).filter(isAbsolute);
  const places = (host['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  const onPath = programs.flatMap((program) => places.map((place) => join(place, program)));
  const files = [...named, ...onPath].flatMap((file) => findProgram(file, '/', '') ?? []);
  return [...new Set(files)];
}

async function digestOfFile(file: string): Promise<string> {
  const real = await realpath(file);
  const { size, mtimeMs, ino } = await stat(real);
  const key = JSON.stringify([real, size, mtimeMs, ino]);
  const known = digests.get(key);
  if (known !== undefined) return known;
  const hash = createHash('sha256');
  await pipeline(createReadStream(real), hash);
  const digest = `sha256:${hash.digest('hex')}`;
  if (digests.size >= MAX_DIGESTS) digests.clear();
  digests.set(key, digest);
  return digest;
}
