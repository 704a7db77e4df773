/** Asks the functions of kpt's catalog, kustomize and kpt what comes of a package. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { parse } from 'yaml';
import { z } from 'zod';

import { canonical } from '../../test/corpus/canonical.ts';
import {
  configOf,
  type Input,
  input,
  type Outcome,
  plainResult,
  type Result,
} from '../../test/corpus/functions/function-case.ts';
import type { Family } from './family.ts';
import { buildTool } from './tools.ts';

export const functions: Family = {
  name: 'functions',
  tools: ['apply-setters', 'list-setters', 'kyaml', 'kustomize', 'kpt'],
  ask: (one, program) => {
    const asked = z.object(input).parse(one);
    const { name } = one['tool'] as { name: string };
    const answer =
      name === 'kpt'
        ? askKpt(asked, program)
        : name === 'kustomize'
          ? askKustomize(asked, program)
          : askFunction(asked, program);
    const said = [answer.stderr, ...(answer.expected.results ?? []).map(({ message }) => message)].join('\n');
    const wanted = asked.toolError ?? asked.error;
    const isWanted = wanted === undefined ? answer.expected.exitCode === 0 : said.includes(wanted);
    if (!isWanted) throw new Error(`${String(one['name'])}: ${said}`);
    return Promise.resolve({ expected: answer.expected });
  },
};

interface Answer {
  readonly expected: Outcome;
  readonly stderr: string;
}

interface Ran {
  readonly exitCode: 0 | 1;
  readonly stdout: string;
  readonly stderr: string;
}

function run(
  program: string,
  args: readonly string[],
  stdin = '',
  env: NodeJS.ProcessEnv = process.env,
): Ran {
  const { status, stdout, stderr } = spawnSync(program, args, { input: stdin, encoding: 'utf8', env });
  return { exitCode: status === 0 ? 0 : 1, stdout, stderr };
}

/** Makes the outcome: a failed run changes nothing. */
function outcome({ exitCode, stderr }: Ran, files: () => Outcome['files'], results?: Result[]): Answer {
  return {
    expected: {
      exitCode,
      files: exitCode === 0 ? files() : {},
      ...(results === undefined ? {} : { results }),
    },
    stderr,
  };
}

const PATH = 'config.kubernetes.io/path';
const INDEX = 'config.kubernetes.io/index';

/** A function reads and writes a ResourceList. It is put together as text: a comment beside a key would not survive a parser. */
function askFunction(asked: Input, program: string): Answer {
  const items = Object.entries(asked.files).flatMap(([path, text]) =>
    text
      .split(/^---\n/m)
      .filter((document) => document.trim() !== '')
      .map((document, index) => asItem(placed(document, path, index))),
  );
  const config = configOf(asked);
  const given = config === undefined ? '' : `functionConfig:\n${config.replaceAll(/^(?=.)/gm, '  ')}\n`;
  const head = 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n';
  const ran = run(program, [], `${head}items:\n${items.join('')}${given}`);
  const { results } = (parse(ran.stdout) ?? {}) as { results?: { items?: Result[] } };
  const said = results?.items?.map(plainResult);
  return outcome(ran, () => changed(asked, filesOf(ran.stdout)), said);
}

function asItem(document: string): string {
  return document.replaceAll(/^(?=.)/gm, '  ').replace(/^ {2}/, '- ');
}

/** Returns a document whose annotations name its place. */
function placed(document: string, path: string, index: number): string {
  const place = `    ${PATH}: ${path}\n    ${INDEX}: '${index}'\n`;
  return document.includes('\n  annotations:\n')
    ? document.replace('\n  annotations:\n', () => `\n  annotations:\n${place}`)
    : document.replace('\nmetadata:\n', () => `\nmetadata:\n  annotations:\n${place}`);
}

function filesOf(list: string): Record<string, string> {
  const items = /^items:\n((?:[- ].*\n|\n)*)/m.exec(list)?.[1] ?? '';
  const files: Record<string, string[]> = {};
  for (const item of items.split(/^- /m).slice(1)) {
    const document = item.replaceAll(/^ {2}/gm, '');
    const path = new RegExp(`^ +'?${PATH}'?: '?([^'\\n]+)`, 'm').exec(document)?.[1] ?? 'new.yaml';
    const unplaced = document
      .replaceAll(/^ +'?(?:internal\.)?config\.kubernetes\.io\/(?:path|index)'?: .*\n/gm, '')
      .replace(/^ {2}annotations:\n(?! {4})/m, '');
    (files[path] ??= []).push(unplaced);
  }
  return Object.fromEntries(Object.entries(files).map(([path, texts]) => [path, texts.join('---\n')]));
}

/** kustomize reads one file: `config` is an ApplyReplacements, or what a kustomization says. */
function askKustomize(asked: Input, program: string): Answer {
  const [[path, text] = ['', '']] = Object.entries(asked.files);
  const config = parse(configOf(asked) ?? '') as { kind?: string } & Record<string, unknown>;
  const verb = config.kind === 'ApplyReplacements' ? 'replacements' : 'build';
  const given =
    verb === 'build' ? { ...kustomizationOf(asked.image ?? '', config), resources: ['in.yaml'] } : config;
  const ran = run(program, [verb, JSON.stringify(given)], text);
  // An empty answer is a question that the tool did not understand.
  if (ran.exitCode === 0 && ran.stdout.trim() === '')
    throw new Error(`kustomize says nothing of ${asked.image}`);
  return outcome(ran, () => changed(asked, { [path]: ran.stdout }));
}

/** Says a function's configuration as a kustomization. */
function kustomizationOf(image: string, config: Record<string, unknown>): Record<string, unknown> {
  const data = (config['data'] ?? config) as Record<string, string>;
  if (image.startsWith('set-annotations')) return { commonAnnotations: data };
  if (image.startsWith('set-labels')) return { commonLabels: data };
  if (image.startsWith('set-namespace')) return { namespace: data['namespace'] };
  if (image.startsWith('ensure-name-substring'))
    return data['prepend'] === undefined ? { nameSuffix: data['append'] } : { namePrefix: data['prepend'] };
  throw new Error(`kustomize has nothing like ${image}`);
}

/** Functions that kpt runs as programs where the package names an image. */
const PROGRAMS: Readonly<Record<string, string>> = { starlark: 'kyaml', 'apply-setters': 'apply-setters' };

function programOf(image: string): string {
  const name = image.replace(/^.*\//, '').replace(/:.*$/, '');
  if (name === 'no-op') return 'cat';
  return buildTool(PROGRAMS[name] ?? name);
}

function askKpt(asked: Input, program: string): Answer {
  const root = mkdtempSync(join(tmpdir(), 'portico-oracle-'));
  try {
    const at = join(root, 'pkg');
    const images = new Map<string, string>();
    for (const [path, text] of Object.entries(asked.files)) {
      mkdirSync(dirname(join(at, path)), { recursive: true });
      const runnable = text.replaceAll(
        /\bimage: (\S*(?:starlark|apply-setters|no-op)\S*)/g,
        (_, image: string) => {
          const exec = programOf(image);
          images.set(exec, image);
          return `exec: ${exec}`;
        },
      );
      writeFileSync(join(at, path), path.endsWith('Kptfile') ? runnable : text);
    }
    const ran = run(program, [...argsOf(asked, root), '--results-dir', join(root, 'results')], '', {
      PATH: process.env['PATH'],
      HOME: root,
    });
    const got = Object.fromEntries(
      readdirSync(at, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(at.length + 1))
        .sort()
        .map((path) => [path, asWritten(path, readFileSync(join(at, path), 'utf8'), images)]),
    );
    const stderr = ran.stderr.replaceAll(at, 'pkg').replaceAll(root, '');
    const expected: Outcome = {
      exitCode: ran.exitCode,
      files: changed(asked, got),
      ...(ran.exitCode === 0 && { results: recorded(join(root, 'results/results.yaml')) }),
    };
    return { expected, stderr };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function argsOf(asked: Input, root: string): string[] {
  const at = join(root, 'pkg');
  if (asked.image === undefined) return ['fn', 'render', at, '--allow-exec'];
  const config = configOf(asked);
  const file = join(root, 'config.yaml');
  if (config !== undefined) writeFileSync(file, config);
  const options = [
    ...(asked.selectors ?? []).flatMap((one) => matches('match', one)),
    ...(asked.exclude ?? []).flatMap((one) => matches('exclude', one)),
  ];
  return [
    'fn',
    'eval',
    at,
    '--exec',
    programOf(asked.image),
    ...(config === undefined ? [] : ['--fn-config', file]),
    ...options,
  ];
}

function matches(verb: string, selector: NonNullable<Input['selectors']>[number]): string[] {
  return Object.entries(selector).flatMap(([key, value]) => {
    if (typeof value === 'string') return [`--${verb}-${key.toLowerCase()}`, value];
    return Object.entries(value).flatMap(([name, text]) => [`--${verb}-${key}`, `${name}=${text}`]);
  });
}

/** Returns a file without kpt's status, and with images in place of the programs. */
function asWritten(path: string, text: string, images: ReadonlyMap<string, string>): string {
  if (!path.endsWith('Kptfile')) return text;
  let kptfile = text.replace(/^status:\n(?: .*\n)*/m, '');
  for (const [exec, image] of images) kptfile = kptfile.replaceAll(`exec: ${exec}`, `image: ${image}`);
  return kptfile;
}

function recorded(file: string): Result[] {
  try {
    const list = parse(readFileSync(file, 'utf8')) as { items?: { results?: Result[] }[] };
    return (list.items ?? []).flatMap(({ results }) => (results ?? []).map(plainResult));
  } catch {
    return [];
  }
}

/** Returns the files whose data or comments changed; what differs in layout alone is the tool's printer. */
function changed(asked: Input, after: Readonly<Record<string, string>>): Outcome['files'] {
  const files: Outcome['files'] = {};
  for (const path of [...new Set([...Object.keys(asked.files), ...Object.keys(after)])].sort()) {
    const [old, now] = [asked.files[path], after[path]];
    if (now === undefined) files[path] = null;
    else if (old === undefined || (old !== now && said(path, old) !== said(path, now))) files[path] = now;
  }
  return files;
}

/** A file that cannot be read is what its text is. */
function said(path: string, text: string): string {
  try {
    return canonical(path, text, true);
  } catch {
    return text;
  }
}
