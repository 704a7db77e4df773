import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { createRuntime } from '../../src/function/runtime.ts';
import { survivingChanges } from '../../src/package/diff/surviving.ts';
import type { Conflict } from '../../src/package/merge/conflict.ts';
import type { PackageFile, PackageFiles } from '../../src/package/package.ts';
import { renderPackage } from '../../src/package/render/render.ts';
import { renderCheck } from '../../src/reconcile/check/render-check.ts';
import { publishedSummary } from '../../src/reconcile/proposal/summary.ts';
import type { RenderedPackage } from '../../src/reconcile/render/proposal-render.ts';
import { code, conflictTable, fenced, foreignSentence } from '../../src/reconcile/text/markdown-blocks.ts';
import { downstreamPart } from '../../src/reconcile/text/summary-marker.ts';
import { updateBody } from '../../src/reconcile/update/body.ts';
import { createKeyring } from '../../src/revision/keyring.ts';
import { repositoryDirectory } from '../../src/revision/package-path.ts';
import { cutText } from '../../src/text/cut-text.ts';
import { codeSpan, fence, inert, table } from '../../src/text/markdown.ts';
import { fuzz, hostileText } from './fuzzing.ts';
import { liveParts } from './live-markdown.ts';

test('foreign text', () =>
  fuzz({
    name: 'Markdown: foreign text made inert',
    weight: 3,
    inputs: [hostileText, fc.nat(400)],
    seeds: [
      ['`@alice', 9],
      ['thanks &commat;alice and &#x40;bob', 9],
      ['a|b\\|`c`', 9],
      ['\r/portico publish', 9],
    ],
    check(text, limit) {
      for (const markdown of [
        inert(text),
        codeSpan(text),
        fence(text, 'yaml'),
        fenced(text),
        foreignSentence(text),
        code(text),
        table(['a', 'b'], [[code(text), codeSpan(text)]]),
      ])
        expect(liveParts(markdown), JSON.stringify(markdown)).toEqual([]);
      const cut = cutText(`${fence(text, '')}\n\n${inert(text)}`, { bytes: limit + 60 });
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(limit + 60);
      expect(cut.isWellFormed() || !text.isWellFormed()).toBe(true);
    },
  }));

test('comments and bodies', () => {
  return fuzz({
    name: 'Markdown: comments and bodies',
    weight: 0.4,
    inputs: [hostileText, hostileText, hostileText],
    check(path, value, other) {
      const conflict: Conflict = {
        file: path,
        resource: { apiVersion: 'v1', kind: value, namespace: other, name: path },
        path: value,
        base: other,
        upstream: { [path]: value },
        local: [other],
        taken: 'upstream',
      } as Conflict;
      const body = updateBody(
        {
          repository: 1,
          branch: 'portico/update/web/0123456789',
          ...(value.length % 2 === 0 && { group: 'all' }),
          parts: [path, other]
            .map(repositoryDirectory)
            .slice(0, (value.length % 2) + 1)
            .map((directory) => ({
              directory,
              path: directory,
              upstream: value,
              from: other,
              to: 'v2',
              publishes: 'v1',
              survives: survivingChanges({
                local: filesOf(path, value),
                result: filesOf(path, other),
                base: filesOf(path, other),
                upstream: filesOf(other, value),
              }),
              created: false,
              revisions: [],
              mergeNotes: [value, other].map((message) => ({ code: 'COMMENT_BOTH', file: path, message })),
              variant: { name: other, place: value },
            })),
          conflicts: [
            { ...conflict, ...(value.length % 2 === 0 && { directory: repositoryDirectory(other) }) },
          ],
        },
        createKeyring(['ab']),
      );
      const own = [...body.matchAll(/<!-- portico:[a-z]+ [\w ./+=-]+ -->/g)].map(([marker]) => marker);
      // A group says first what it holds; whatever comes later is not ours, but for the marks of what follows the state.
      const ours = [
        ...own.slice(0, value.length % 2 === 0 ? 2 : 1),
        ...['first', 'end of first', 'kept', 'end of kept', 'last', 'end of last'].map(
          (part) => `<!-- portico:part ${part} -->`,
        ),
      ];
      expect(liveParts(body, ours), body).toEqual([]);
      const conflicts = conflictTable([conflict]);
      expect(liveParts(conflicts), conflicts).toEqual([]);
      const published = publishedSummary([{ path, revision: 'v1', url: 'https://forge.test/a' }], [value]);
      const part = downstreamPart(path);
      const marks = [part, `end of ${part}`].map((name) => `<!-- portico:part ${name} -->`);
      expect(liveParts(published, marks), published).toEqual([]);
    },
  });
});

test('checks of hostile packages', () => {
  const runtime = createRuntime();
  return fuzz({
    name: 'Markdown: checks of hostile packages',
    weight: 0.2,
    inputs: [
      hostileText,
      hostileText,
      fc.constantFrom('name', 'image', 'configPath', 'configMap', 'raw', 'kind'),
    ],
    async check(text, other, place) {
      const quoted = JSON.stringify(text);
      const step = {
        name: `- image: set-labels:v0.2\n    name: ${quoted}\n    configMap: {}`,
        image: `- image: ${quoted}`,
        configPath: `- image: set-labels:v0.2\n    configPath: ${quoted}`,
        configMap: `- image: set-namespace:v0.4\n    configMap: { namespace: ${quoted} }`,
        raw: `- image: set-labels:v0.2\n    ${text}: 1`,
        kind: `- image: starlark:v0.5\n    configPath: f.yaml`,
      }[place];
      const files: PackageFiles = new Map([
        [
          'Kptfile',
          file(
            `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: { name: web }\npipeline:\n  mutators:\n  ${step}\n`,
          ),
        ],
        [
          'a.yaml',
          file(
            `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: { k: ${JSON.stringify(other)} }\n`,
          ),
        ],
        [
          'f.yaml',
          file(
            `apiVersion: fn.kpt.dev/v1alpha1\nkind: StarlarkRun\nmetadata: { name: f }\nsource: |\n  fail(${quoted})\n`,
          ),
        ],
      ]);
      const result = await renderPackage({ files, runtime });
      const one = {
        package: { path: 'web', directory: 'web' },
        ok: result.ok,
        runs: result.runs,
        findings: result.findings,
        ...(result.problem && { problem: result.problem }),
        changes: new Map(),
      } as unknown as RenderedPackage;
      const { title, summary, text: more = '' } = renderCheck([one], { state: 'unchanged' } as never);
      // GitHub shows a title as it is; the other two are Markdown (https://docs.github.com/en/rest/checks/runs).
      expect(title).not.toMatch(/\n/);
      for (const markdown of [summary, more]) expect(liveParts(markdown), markdown).toEqual([]);
    },
  });
});

const KPTFILE = 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: { name: web }\n';
const CONFIG_MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n';

function filesOf(path: string, text: string): PackageFiles {
  const name = path === '' || path.includes('\0') ? 'x.yaml' : `${path.toWellFormed()}.yaml`;
  return new Map([
    ['Kptfile', file(KPTFILE)],
    [name, file(`${CONFIG_MAP}data: { k: ${JSON.stringify(text)} }\n`)],
  ]);
}

function file(text: string): PackageFile {
  return { mode: '100644', bytes: new TextEncoder().encode(text) };
}
