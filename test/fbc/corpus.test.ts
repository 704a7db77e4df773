/**
 * The golden cases of file-based catalogs. Each runs through the command line's own verbs; a case says itself where Portico answers
 * otherwise than opm and operator-controller, and why.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterAll, describe, expect, test } from 'vitest';

import { parseRange } from '../../src/fbc/range.ts';
import { readCatalog } from '../../src/fbc/read-catalog.ts';
import { candidatesOf, installedOf, successorsOf } from '../../src/fbc/successors.ts';
import { parseVersion } from '../../src/fbc/version.ts';
import {
  answerOfPortico,
  type CatalogCase,
  catalogCases,
  filesIn,
  imagesIn,
  packageFilesIn,
} from '../corpus/catalogs/cases.ts';
import { jsonOf, type Ran, runVerb } from './run-verb.ts';

type Answer = Record<string, unknown>;

/** What a verb prints, or its error. */
type Text = { readonly text?: string; readonly error?: string };

const scratch = mkdtempSync(join(tmpdir(), 'portico-catalog-'));
afterAll(() => rmSync(scratch, { recursive: true }));

/** Writes files to a new directory. */
function written(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(scratch, 'case-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

async function verdictOn(directory: string): Promise<Answer> {
  const { document, exit } = await jsonOf('catalog', 'validate', directory);
  const { passed, packages, errors, warnings } = document;
  expect({ passed, exit }).toEqual(
    errors.length === 0 ? { passed: true, exit: 0 } : { passed: false, exit: 1 },
  );
  const messages = errors.map(({ at, message }) => [...at, message].join(' > ')).sort();
  return {
    ...(passed ? { packages: withSortedEdges(packages) } : { errors: messages }),
    ...(warnings.length > 0 && { warnings: warnings.map(({ message }) => message) }),
  };
}

/** The tool's edges come in no order. */
function withSortedEdges(packages: unknown): unknown {
  return JSON.parse(JSON.stringify(packages), (key, value: unknown) =>
    key === 'edges' && Array.isArray(value) ? value.map(String).sort() : value,
  );
}

/** The printed text, or the error's text that the tool has too: Portico names the file before it. */
function printed({ exit, stdout, stderr }: Ran, { error: wanted = '' }: Text): Text {
  if (exit === 0) return { text: stdout };
  expect(exit).toBe(65);
  return { error: wanted !== '' && stderr.includes(wanted) ? wanted : stderr };
}

function requestOf({ options = {} }: CatalogCase): string[] {
  const { channels = [], version, policy, installed } = options;
  return [
    '--package',
    options.package ?? 'web',
    ...channels.flatMap((channel) => ['--channel', channel]),
    ...(version === undefined ? [] : [`--version=${version}`]),
    ...(policy === undefined ? [] : ['--policy', policy]),
    ...(installed === undefined ? [] : ['--installed', installed]),
  ];
}

async function rendered(one: CatalogCase): Promise<Text> {
  return printed(await runVerb('catalog', 'render', written(filesIn(one))), answerOfPortico(one));
}

/** The manifests of a bundle are compared as a set of data: opm sorts them by their Base64 text. */
async function renderedBundle(one: CatalogCase): Promise<Answer> {
  const answer = await rendered(one);
  expect(withoutObjects(answer)).toEqual(withoutObjects(one.expected));
  return one.expected;
}

const OBJECT = /^- type: olm\.bundle\.object\n {2}value:\n {4}data: (\S+)\n/gm;

function withoutObjects({ text = '' }: Text): { readonly text: string; readonly objects: string[] } {
  const objects = [...text.matchAll(OBJECT)].map(([, data = '']) => {
    const object: unknown = JSON.parse(Buffer.from(data, 'base64').toString());
    return JSON.stringify(object);
  });
  expect(objects.length).toBeGreaterThan(0);
  // Together they stand where the first one is.
  return {
    text: text.replace(OBJECT, '- object\n').replace(/(?:- object\n)+/, '- objects\n'),
    objects: objects.sort(),
  };
}

async function listed(one: CatalogCase): Promise<Answer> {
  const directory = written(filesIn(one));
  const rows = ['packages', 'channels', 'bundles'].map(
    async (subject) =>
      [subject, (await jsonOf('catalog', 'list', subject, directory)).document.rows] as const,
  );
  return Object.fromEntries(await Promise.all(rows));
}

async function drawn(one: CatalogCase): Promise<Answer> {
  const { minimumEdge, package: of, v0 = false } = one.options ?? {};
  const ran = await runVerb(
    'catalog',
    'graph',
    written(filesIn(one)),
    ...(minimumEdge === undefined ? [] : ['--minimum-edge', minimumEdge]),
    ...(of === undefined ? [] : ['--package', of]),
    ...(v0 ? ['--v0'] : []),
  );
  return printed(ran, answerOfPortico(one));
}

async function fromTemplate(one: CatalogCase): Promise<Answer> {
  const images = Object.entries(imagesIn(one)).map(([name, text]) => [
    `bundles/${name.replaceAll(/[/:@]/g, '_')}.yaml`,
    text,
  ]);
  const directory = written({ ...filesIn(one), ...(Object.fromEntries(images) as Record<string, string>) });
  const [file, bundles] = ['template.yaml', 'bundles'].map((name) => join(directory, name));
  const answer = printed(
    await runVerb('catalog', 'template', file!, ...(images.length === 0 ? [] : ['--bundles', bundles!])),
    answerOfPortico(one),
  );
  if (answer.text === undefined) return answer;
  const { warnings: _, ...verdict } = await verdictOn(written({ 'catalog.yaml': answer.text }));
  return { ...answer, ...verdict };
}

async function resolved(one: CatalogCase): Promise<Answer> {
  const { exit, document } = await jsonOf('catalog', 'resolve', written(filesIn(one)), ...requestOf(one));
  expect(exit).toBe(document.resolved === null ? 1 : 0);
  return { resolved: document.resolved, ...(document.resolved === null && { reason: document.reason }) };
}

function succeeded(one: CatalogCase): Answer {
  const { package: of = 'web', channels = [], installed: name = '' } = one.options ?? {};
  const catalog = readCatalog(packageFilesIn(one));
  const candidates = candidatesOf(catalog.bundles.filter((bundle) => bundle.package === of));
  const chosen = catalog.channels.filter(
    (channel) => channel.package === of && (channels.length === 0 || channels.includes(channel.name)),
  );
  const installed = installedOf(name, candidates);
  const found = installed === undefined ? [] : successorsOf(installed, candidates, chosen);
  return { successors: found.map((bundle) => bundle.name).sort() };
}

function matched({ ranges = [], versions = [] }: CatalogCase): Answer {
  const rows = ranges.map((range) => {
    const { value, problem } = parseRange(range);
    if (value === undefined) return { range, error: problem };
    const inRange = (version: string): boolean => {
      const parsed = parseVersion(version).value;
      return parsed !== undefined && value.matches(parsed);
    };
    return { range, matches: versions.filter(inRange) };
  });
  return { rows };
}

const ANSWER = {
  validate: (one: CatalogCase): Promise<Answer> => verdictOn(written(filesIn(one))),
  render: rendered,
  list: listed,
  graph: drawn,
  bundle: renderedBundle,
  template: fromTemplate,
  resolve: resolved,
  successors: succeeded,
  ranges: matched,
} as const;

describe.each(Object.entries(ANSWER))('portico answers as the tool to %s:', (question, answer) => {
  const cases = catalogCases(question as keyof typeof ANSWER);

  test.each(cases.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    const answered = await answer(one);
    expect(answered).toEqual(answerOfPortico(one));
    if (one.differs !== undefined)
      expect(answered, 'there is no difference: take it out').not.toEqual(one.expected);
  });
});
