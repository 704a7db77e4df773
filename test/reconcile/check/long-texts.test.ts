import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { powerMarkdown } from '../../../src/package/power/power-markdown.ts';
import type { CheckContent } from '../../../src/reconcile/check/check-content.ts';
import { conflictTable, fenced, foreignSentence } from '../../../src/reconcile/text/markdown-blocks.ts';
import { mergeNotes, mergeNotesText } from '../../../src/reconcile/text/merge-notes.ts';
import { repositoryDirectory } from '../../../src/revision/package-path.ts';
import { cutLines, cutText, MAX_BODY, MAX_CHECK_BYTES, shorten } from '../../../src/text/cut-text.ts';

const SOURCE = join(import.meta.dirname, '../../../src');
const CHECKS = join(SOURCE, 'reconcile/check');

type Make = (text: string) => unknown;

const HINT = 'Do this.';
const SUGGESTION = 'Did you mean set-labels?';
const web = { path: 'web', directory: repositoryDirectory('web') };
const finding = (message: string, guardrail?: string): object => ({
  severity: 'error',
  message,
  function: 'fn',
  guardrail,
  item: { message },
});
const rendered = (rest: object): object => ({
  package: { ...web, trees: { mergeBase: 'a' } },
  ok: false,
  runs: [],
  findings: [],
  changes: new Map(),
  ...rest,
});
const run = { package: '.', function: 'fn', type: 'validator', guardrail: 'must', exitCode: 1, results: [] };
const must = { name: 'must', mode: 'enforce' };
const guardrails = { guardrails: { mutators: [], validators: [must] } };
const place = { file: 'a.yaml', line: 1, column: 1 };
const configuration = { changes: [], trial: null, placeOf: () => place, file: 'a.yaml' };
const trial = { packages: 1, left: 0, newly: [], rewritten: [], notRun: [], broken: [] };
const channel = { file: 'a.yaml', problems: [], gates: [] };
const problem = (message: string): object => ({ rule: 'R1', line: 1, message, severity: 'error' });
const commit = { state: 'rendered', head: { oid: 'a'.repeat(40) }, pushed: false };
const change = { direction: 'wider', kind: 'rbac', who: 'Role web', ...place };
const head = 'a'.repeat(40);

/** Every function of `reconcile/check/` that makes a check, with foreign text in each place that takes some. */
const MAKERS: Readonly<Record<string, Readonly<Record<string, (text: string) => readonly unknown[]>>>> = {
  approvalCheck: { sentence: (text) => [{ kind: 'missing', sentence: text, notes: [text] }] },
  channelStandingCheck: {
    refused: (message) => [head, standing({ refused: new Map([['tag', { message }]]) })],
    mistakes: (text) => [
      head,
      standing({ mistakes: new Map([['web', { file: 'a.yaml', problems: [problem(text)] }]]) }),
    ],
  },
  channelsCheck: {
    problems: (text) => [{ files: [{ ...channel, problems: [problem(text)] }] }],
    gates: (what) => [
      { files: [{ ...channel, gates: [{ channel: 'c', revision: 'v1', line: 1, state: 'failing', what }] }] },
    ],
  },
  configCheck: {
    problems: (message) => [
      { ...configuration, problems: [{ code: 'x', path: '', ...place, message, hint: HINT }] },
    ],
    changes: (text) => [
      {
        ...configuration,
        problems: [],
        changes: [{ field: 'publish', before: '1', after: text, weaker: true }],
      },
    ],
    broken: (message) => [
      {
        ...configuration,
        problems: [],
        trial: { ...trial, broken: [{ guardrail: 'must', message, hint: HINT }] },
      },
    ],
    newly: (message) => [
      {
        ...configuration,
        problems: [],
        trial: {
          ...trial,
          newly: [{ package: 'web', revision: null, guardrail: 'must', mode: 'enforce', errors: 1, message }],
        },
      },
    ],
  },
  configCheckAt: {
    problems: (message) => [head, [{ code: 'x', path: '', ...place, message, hint: HINT }], true],
  },
  deletionCheck: { users: (text) => [['web'], [text], []] },
  graphCheck: {
    unreadable: (unreadable) => [
      [
        {
          package: 'web',
          channel: 'stable',
          from: 'v1',
          to: 'v2',
          mermaid: '',
          followers: [],
          hidden: 0,
          change: { unreadable },
        },
      ],
    ],
  },
  guardrailChecks: {
    findings: (text) => [guardrails, [rendered({ findings: [finding(text, 'must')] })]],
    stderr: (stderr) => [guardrails, [rendered({ runs: [{ ...run, stderr }] })]],
    refused: (message) => [
      guardrails,
      [rendered({ runs: [{ ...run, refused: { code: 'X', message, hint: HINT } }] })],
    ],
  },
  packageCheck: {
    kptfiles: (message) => [
      {
        kptfiles: new Map([[web.directory, [{ severity: 'error', path: '', message }]]]),
        rendered: [],
        removed: [],
      },
    ],
    gates: (message) => [
      {
        kptfiles: new Map(),
        rendered: [rendered({ gates: [{ type: 'ready', ready: false, message }] })],
        removed: [],
      },
    ],
  },
  powerCheck: {
    changes: (what) => [[{ ...web, diff: { grown: true, changes: [{ ...change, what }], unread: [] } }]],
  },
  publicationCheck: {
    refused: (why) => [head, { flagged: new Map(), refused: new Map([['web', why]]), unapproved: new Map() }],
    missing: (text) => [
      head,
      {
        flagged: new Map([['web', { commit: { oid: head }, pull: 1, missing: [text] }]]),
        refused: new Map(),
        unapproved: new Map(),
      },
    ],
  },
  // Neither holds foreign text: it says that all is well.
  publishedCheck: { nothing: () => [head] },
  registryCheck: { refused: (why) => [head, new Map([['web', why]])] },
  renderCheck: {
    findings: (text) => [[rendered({ findings: [finding(text)] })], commit],
    problem: (message) => [[rendered({ problem: { code: 'X', message, hint: HINT } })], commit],
    stderr: (stderr) => [[rendered({ runs: [{ ...run, guardrail: undefined, stderr }] })], commit],
    refused: (message) => [
      [
        rendered({
          runs: [{ ...run, guardrail: undefined, refused: { code: 'X', message, hint: HINT } }],
        }),
      ],
      commit,
    ],
  },
  sourcesCheck: {
    problems: (message) => [[sources({ problems: [{ ...place, message, hint: HINT }] })]],
    failures: (text) => [[sources({ failures: [text] })]],
    warnings: (text) => [[sources({ warnings: [text] })]],
  },
};

function standing(rest: object): object {
  return { mistakes: new Map(), corrected: new Map(), refused: new Map(), ...rest };
}

function sources(rest: object): object {
  return { ...web, sources: 1, problems: [], failures: [], warnings: [], text: '', ...rest };
}

/** Text in comments, descriptions, dashboards and releases goes through one of these. */
const PARTS: Readonly<Record<string, (text: string) => string>> = {
  'a sentence of a comment': foreignSentence,
  'a cell of conflicts': (value) =>
    conflictTable([
      {
        id: 'a',
        file: 'a.yaml',
        resource: null,
        path: 'x',
        base: value,
        upstream: value,
        local: value,
        taken: 'local',
      },
    ]),
  'a note of a merge': (message) =>
    mergeNotesText(mergeNotes([{ file: 'a.yaml', message }])).replaceAll('\n', ' '),
  'a row of permissions': (what) =>
    powerMarkdown({ grown: true, changes: [{ ...change, what } as never], unread: [] }),
  'the output of a program': (text) => fenced(cutLines(text, { characters: 4_000 })),
  'the body of a comment': (text) => cutText(text, MAX_BODY),
  'a title': (text) => shorten(text, 255),
};

/** A refusal of that length; its last clause turns the meaning of what comes before. */
function refusal(length: number): string {
  if (length === 1) return 'x';
  const end = ` The repository does not allow it. ${SUGGESTION}`;
  const line = 'Each function of the pipeline needs a permission, but not every branch has one. ';
  return `${line
    .repeat(Math.ceil(length / line.length))
    .slice(0, Math.max(0, length - end.length))
    .replace(/\s\S*$/, '')}${end}`;
}

const LENGTHS = [1, 100, 1_000, 60_000];
const WORDS = new Set(refusal(1_000).split(/[\s.,?]+/));

/** The words before each ellipsis are whole, and none of them waits for a negation. */
function expectWholeWords(text: string): void {
  for (const [, last = ''] of text.matchAll(/([\w-]+)[^\w\s]*…/g)) {
    expect(WORDS, text.slice(-300)).toContain(last);
    expect(['does', 'but', 'not', 'the', 'a', 'of'], text.slice(-300)).not.toContain(last);
  }
  expect(text).not.toMatch(/\w\.\.\.|…\./);
}

async function exported(): Promise<ReadonlyMap<string, Make>> {
  const files = readdirSync(CHECKS).map(async (name) =>
    Object.entries((await import(join(CHECKS, name))) as object),
  );
  const all = (await Promise.all(files)).flat() as [string, Make][];
  return new Map(all.filter(([name]) => /Checks?(?:At)?$/.test(name)));
}

test('the table names every function that makes a check', async () => {
  expect([...(await exported()).keys()].toSorted()).toEqual(Object.keys(MAKERS).toSorted());
});

const ROWS = Object.entries(MAKERS).flatMap(([name, places]) =>
  Object.entries(places).flatMap(([at, input]) => LENGTHS.map((length) => ({ name, at, input, length }))),
);

test.for(ROWS)(
  '$name keeps the meaning of $length characters in $at',
  async ({ name, at, input, length }) => {
    const text = refusal(length);
    const make = (await exported()).get(name) as (
      ...input: readonly unknown[]
    ) => CheckContent | CheckContent[];
    for (const check of [make(...input(text))].flat()) {
      // As the client of the forge writes it.
      const title = shorten(check.title, { bytes: 255 });
      const bodies = [check.summary, check.text ?? ''].map((body) =>
        cutText(body, { bytes: MAX_CHECK_BYTES }),
      );
      const notes = (check.annotations ?? []).map(({ message }) => cutLines(message, { bytes: 16_000 }));
      for (const part of [title, ...bodies, ...notes]) expectWholeWords(part);
      if (title.includes('Each function') && length > 1) expect(title).toContain(SUGGESTION);
      const whole = [...bodies, ...notes].join('\n').replaceAll(/\s+/g, ' ');
      // A setting is whole in the file that the proposal changes.
      if (at !== 'nothing' && at !== 'changes') expect(whole).toContain(length > 1_000 ? SUGGESTION : text);
      if (JSON.stringify(input(text)).includes(HINT)) expect(whole).toContain(HINT);
    }
  },
);

describe.for(Object.entries(PARTS))('%s', ([, make]) => {
  test.for(LENGTHS)('keeps the meaning of %i characters', (length) => {
    const part = make(refusal(length));
    expectWholeWords(part);
    expect(part.length).toBeLessThanOrEqual(65_535);
    const start = part.includes('Each function');
    expect(part.includes(SUGGESTION) || !start || part.includes('omitted')).toBe(true);
  });
});

test('no other file cuts a text and marks it as cut', () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  const CUTS =
    /slice\(0, [^)]*\)(?:\.toWellFormed\(\))?\}(?:…|\.\.\.)|\b(?:message|title|summary|why)\??\.slice\(0, (?:\d[\d_]{2,}|MAX_\w+)\)/;
  const own = files.filter((path) => CUTS.test(readFileSync(join(SOURCE, path), 'utf8')));
  // The child process runs its text alone, without imports; a line of a diff is content, and keeps its white space.
  expect(own.toSorted()).toEqual(['function/wasm/wasm-child.ts', 'package/diff/diff-markdown.ts']);
});
