/** What guardrails, privileges and diffs judge is what a cluster gets of the text, or the check fails. */
import { describe, expect, test } from 'vitest';

import { judge } from '../../../src/cel/judge.ts';
import { compilePolicy } from '../../../src/cel/policy.ts';
import { createRuntime } from '../../../src/function/runtime.ts';
import { changeDigest } from '../../../src/package/diff/change-digest.ts';
import { diffPackages } from '../../../src/package/diff/diff.ts';
import { diffPower } from '../../../src/package/power/power-diff.ts';
import { setNote } from '../../../src/package/render/field-notes.ts';
import type { FunctionRuntime } from '../../../src/package/render/function-runtime.ts';
import type { KrmObject } from '../../../src/package/render/krm-object.ts';
import type { Guardrail, RenderResult } from '../../../src/package/render/render-types.ts';
import { renderPackage } from '../../../src/package/render/render.ts';
import { renderSettled } from '../../../src/package/render/settled.ts';
import { kptfile, packageOf } from './support.ts';

/** Judges in this process, at once: no expression here is hostile. */
const runtime: FunctionRuntime = {
  ...createRuntime(),
  async judge(policy, review) {
    const compiled = compilePolicy(policy);
    if (!compiled.ok) throw new Error(compiled.problems[0]!.message);
    return { remarks: judge(compiled.compiled, review) };
  },
};

const guardrail = (expression: string, more: Partial<Guardrail> = {}): Guardrail => ({
  name: 'rule',
  type: 'validator',
  mode: 'enforce',
  spec: { name: 'rule' },
  policy: { validations: [{ expression, message: 'no' }] },
  ...more,
});
const noHostNetwork = guardrail(
  '!has(object.spec) || !has(object.spec.hostNetwork) || object.spec.hostNetwork != true',
);
const noRoot = guardrail('!has(object.spec) || !has(object.spec.runAsUser) || object.spec.runAsUser != 0');
const nothing = guardrail('true');

const files = (text: string, more: Readonly<Record<string, string>> = {}): ReturnType<typeof packageOf> =>
  packageOf({ Kptfile: kptfile('p'), 'a.yaml': text, ...more });

function run(text: string, rule: Guardrail = nothing): Promise<RenderResult> {
  return renderPackage({ files: files(text), runtime, guardrails: [rule] });
}

const errors = ({ findings }: Pick<RenderResult, 'findings'>): string[] =>
  findings
    .filter(({ severity }) => severity === 'error')
    .map(({ file, line, message }) => `${file}:${line} ${message}`);

const pod = (spec: string): string => `apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n${spec}`;
const wider = (text: string): readonly string[] =>
  diffPower(files(pod('  containers: []\n')), files(text)).changes.map(({ what }) => what);

/** Of a change of what is anchored. */
function digest(below: string): string {
  const of = (name: string): ReturnType<typeof packageOf> => files(pod(`  x: &x ${name}\n${below}`));
  return changeDigest(of('hostIPC'), of('hostNetwork'));
}

const web = (more: string, apiVersion = 'apps/v1', metadata = 'name: web'): string =>
  `apiVersion: ${apiVersion}\nkind: Deployment\nmetadata: {${metadata}}\nspec: {hostNetwork: true}\n${more}`;

describe('values as the cluster gets them', () => {
  test.each(['on', 'yes', 'Y', 'True'])(
    'hostNetwork: %s is true for policies and privileges (98)',
    async (word) => {
      const text = pod(`  hostNetwork: ${word}\n`);
      const found = errors(await run(text, noHostNetwork));
      expect(found).toContainEqual(expect.stringMatching(/^a\.yaml:[56] no/));
      // Flux has a string there.
      expect(found.some((error) => error.includes('a boolean for kubectl'))).toBe(word !== 'True');
      expect(wider(text)).toContainEqual(expect.stringContaining('network'));
      // Functions have the string, and the text stays.
      const kept = await renderPackage({ files: files(text), runtime });
      expect(kept.changed).toEqual([]);
    },
  );

  test('a word in quotes stays a string', async () => {
    expect((await run(pod('  hostNetwork: "on"\n'), noHostNetwork)).ok).toBe(true);
  });

  test.each(['0X0', '0O0', '0b0', '-0', '0e5'])(
    'runAsUser: %s is the user 0 for policies (109)',
    async (number) => {
      expect(errors(await run(pod(`  runAsUser: ${number}\n`), noRoot))).toEqual([
        expect.stringMatching(/^a\.yaml:[56] no/),
      ]);
    },
  );
});

const binding = (names: string): string =>
  `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBindingList\nmetadata: {name: l}\nitems:\n- {${names}metadata: {name: x}, roleRef: {kind: ClusterRole, name: cluster-admin, apiGroup: rbac.authorization.k8s.io}, subjects: [{kind: Group, name: "system:authenticated"}]}\n`;

describe('lists', () => {
  test.each([
    ['empty', 'apiVersion: "", kind: "", '],
    ['null', 'apiVersion: null, kind: ~, '],
    ['absent and empty', 'kind: "", '],
    ['a number', 'apiVersion: 5, kind: 5, '],
  ])('an item whose kind is %s has that of its list for policies and privileges (97)', async (_, names) => {
    const rule = guardrail("object.kind != 'ClusterRoleBinding' || object.roleRef.name != 'cluster-admin'");
    expect(errors(await run(binding(names), rule))).toEqual([
      expect.stringContaining('no (ClusterRoleBinding x)'),
    ]);
    expect(wider(binding(names))).not.toEqual([]);
  });

  test('a list inside of a list is judged item by item', async () => {
    const inner =
      '{apiVersion: v1, kind: PodList, items: [{apiVersion: "", metadata: {name: a}, spec: {hostNetwork: true}}]}';
    const result = await run(
      `apiVersion: v1\nkind: List\nmetadata: {name: l}\nitems: [${inner}]\n`,
      noHostNetwork,
    );
    expect(errors(result)).toEqual([expect.stringContaining('no (Pod a)')]);
  });
});

describe('text that the tools of a cluster read otherwise', () => {
  const odd: readonly [string, number, string, number][] = [
    ['U+2028 in a comment', 99, pod('  # wiki\u2028  hostNetwork: true\n  a: 1\n'), 6],
    ['U+2029 in a comment', 99, pod('  # wiki\u2029  hostNetwork: true\n  a: 1\n'), 6],
    ['U+0085 in a literal', 99, pod('  a: |\n    x\u0085  hostNetwork: true\n'), 7],
    ['a lone carriage return', 99, pod('  # wiki\r  hostNetwork: true\n  a: 1\n'), 6],
    ['a merge key', 100, pod('  <<: {hostNetwork: true}\n'), 6],
    [
      'a merge behind a field',
      100,
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n<<: {kind: Secret}\n',
      4,
    ],
    ['a binary value', 101, 'apiVersion: v1\nkind: !!binary U2VjcmV0\nmetadata: {name: a}\n', 2],
    ['a binary key', 101, pod('  !!binary aG9zdE5ldHdvcms=: true\n'), 6],
    ['an alias as a key', 102, pod('  x: &h hostNetwork\n  *h : true\n'), 7],
    [
      'a key that is a number',
      109,
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  0x1F: a\n',
      5,
    ],
    ['the name of an anchor', 117, pod('  a: &1:30a b\n'), 6],
  ];

  test.each(odd)(
    '%s fails the check with file and line, and is rendered as it is (%i)',
    async (_, _number, text, line) => {
      const judged = [await run(text), await renderSettled({ files: files(text), runtime })];
      for (const result of judged) {
        expect(result.ok).toBe(false);
        expect(errors(result)).toContainEqual(
          expect.stringMatching(new RegExp(`^a\\.yaml:${line} a\\.yaml:${line}: `)),
        );
      }
      const rendered = await renderPackage({ files: files(text), runtime });
      expect({ ok: rendered.ok, changed: rendered.changed }).toEqual({ ok: true, changed: [] });
    },
  );

  test.each(odd)(
    '%s is no change of comments alone, and its file is unknown to privileges (%i)',
    (_, _number, text) => {
      const before = files(pod('  a: 1\n'));
      const { counts, resources } = diffPackages(before, files(text));
      expect({ counts, resources }).toMatchObject({ counts: { files: 1, comments: 0 }, resources: [] });
      expect(diffPower(before, files(text)).unread).toEqual(['a.yaml']);
    },
  );

  test('a changed anchor is another change where an alias is a key (102)', () => {
    expect(digest('  *x : true\n')).not.toBe(digest(''));
  });

  test('a file into which a function writes such a comment fails the check', async () => {
    const writing: FunctionRuntime = {
      ...runtime,
      run: (_spec, { items }) => {
        for (const item of items)
          if (item['kind'] === 'Pod') setNote(item, 'kind', { comment: ' a\u2028b: true' });
        return Promise.resolve({ exitCode: 0, items, results: [] });
      },
    };
    const texts = packageOf({
      Kptfile: kptfile('p', '  mutators:\n  - image: acme.io/x:v1\n'),
      'a.yaml': pod('  a: 1\n'),
    });
    const result = await renderPackage({ files: texts, runtime: writing, guardrails: [nothing] });
    expect(result.ok).toBe(false);
    expect(errors(result)).toEqual([
      expect.stringContaining('a.yaml:2 a.yaml:2: guardrails cannot judge the file'),
    ]);
  });
});

describe('hidden files', () => {
  const hide = '.krmignore';
  const secret = 'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n';
  const judgeHidden = async (text: string, before?: string, name = 'h.yaml'): Promise<RenderResult> => {
    const base = files('a: 1\n', {
      [hide]: 'h.*\na.yaml\n',
      ...(before !== undefined && { [name]: before }),
    });
    const head = files('a: 1\n', { [hide]: 'h.*\na.yaml\n', [name]: text });
    return renderPackage({
      files: head,
      runtime,
      guardrails: [nothing],
      context: {
        path: 'p',
        repository: 'a/b',
        base: before === undefined ? files('a: 1\n', { [hide]: 'a.yaml\n' }) : base,
      },
    });
  };
  const forms: readonly [string, string][] = [
    ['a kind in a merge', 'apiVersion: v1\n<<: {kind: Secret}\nmetadata: {name: s}\n'],
    ['a binary key', 'apiVersion: v1\n!!binary a2luZA==: Secret\nmetadata: {name: s}\n'],
    ['an alias as a key', 'x: &k kind\napiVersion: v1\n*k : Secret\nmetadata: {name: s}\n'],
    ['a kind behind U+2028', 'apiVersion: v1 # a\u2028kind: Secret\nmetadata: {name: s}\n'],
    ['a stream of JSON', '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"}}\n{"a":1}\n'],
    [
      'a stream of JSON before a template',
      '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"}}\n{{ a }}\n',
    ],
    ['U+0085', 'a: b\u0085---\n'.concat(secret)],
    ['a lone carriage return', `a: "b" # c\r---\r${secret}`],
    ['a comment right behind a quote', `x: "x"#y\n${secret}`],
    ['a byte order mark behind a marker', `a: 1\n---\n\ufeff${secret}`],
    ['text after the end of a document', `a: 1\n...\n${secret}`],
  ];

  test.each(forms)(
    '%s fails in a file that is newly hidden, and in one that the base hides (103)',
    async (_, text) => {
      for (const before of [undefined, 'a: 1\n']) {
        const result = await judgeHidden(text, before);
        expect(result.ok).toBe(false);
        expect(errors(result)).toContainEqual(expect.stringContaining('guardrails cannot judge it'));
      }
    },
  );

  test.each([
    ['an action before the document', '{{- if .Values.on }}\napiVersion: v1\nkind: Secret\n{{- end }}\n'],
    ['an action as a value', 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: {{ .Release.Name }}-a\n'],
    [
      'an action between fields',
      'apiVersion: v1\nkind: Secret\nmetadata:\n  {{- include "a" . | nindent 2 }}\nb: c\n',
    ],
    ['an action in quotes', 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: "{{ include "a" . }}"\n'],
  ])('a template with %s may change where the base hides it', async (_, text) => {
    expect((await judgeHidden(text, 'a: {{ .b }}\n')).ok).toBe(true);
  });
});

describe('exemptions', () => {
  const exemption = {
    name: 'e',
    until: '2099-01-01',
    why: 'w',
    resources: [{ kind: 'Deployment', name: 'web' }],
  };
  const rule = { ...noHostNetwork, exemptions: [exemption] };

  test('an exemption covers the object that it names', async () => {
    expect((await run(web(''), rule)).ok).toBe(true);
  });

  test('an exemption covers nothing inside or beside the object that it names (105)', async () => {
    const inside = web(
      'items: [{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {hostNetwork: true}}]\n',
    );
    expect(errors(await run(inside, rule))).toEqual([expect.stringContaining('no (Pod p)')]);
    for (const other of [web('', 'acme.io/v1'), web('', 'apps/v1', 'name: web, namespace: b')]) {
      const { ok } = await run(`${web('')}---\n${other}`, rule);
      expect(ok).toBe(false);
    }
  });

  test('an exemption for an object inside of a list covers it', async () => {
    const list = `apiVersion: v1\nkind: List\nmetadata: {name: l}\nitems:\n- ${web('').trim().replaceAll('\n', '\n  ')}\n`;
    expect((await run(list, rule)).ok).toBe(true);
  });
});

describe('what a function returns', () => {
  /** Values that readers of YAML tell apart, and whether the check refuses them. */
  const VALUES: readonly (readonly [string, unknown, boolean])[] = [
    ['U+2028', { a: 'x\u2028b' }, true],
    ['words', { a: 'on', b: 'y', c: '0X0', d: '~', on: 'no' }, false],
    ['a date as a key', { '2024-01-01': 'x' }, false],
    ["kubectl's directives", { $retainKeys: ['a'] }, true],
    ['a merge key', { '<<': { hostNetwork: true } }, true],
    ['an integer of 17 digits', { a: 12_345_678_901_234_567n }, true],
    ['infinity', { a: Number.POSITIVE_INFINITY }, true],
    ['blanks', { a: '  \n \n', b: ' \n' }, false],
    ['a key of lines', { 'a\nb': 'x' }, false],
  ];

  test.each(
    VALUES.flatMap((one) =>
      (['in a new resource', 'in one that it edits'] as const).map(
        (how) => [one[0], how, one[1], one[2]] as const,
      ),
    ),
  )('%s %s is refused or read alike (137)', async (_name, how, value, refused) => {
    const emitting: FunctionRuntime = {
      ...runtime,
      run: async (_spec, { items }) => {
        const made = {
          apiVersion: 'example.org/v1',
          kind: 'Widget',
          metadata: { name: 'w' },
          spec: value,
        } as KrmObject;
        const edited = items.map((item) => (item['kind'] === 'Pod' ? { ...item, spec: value } : item));
        const isMade = items.some((item) => item['kind'] === 'Widget');
        const added = isMade ? items : [...items, made];
        return { exitCode: 0, results: [], items: how === 'in a new resource' ? added : edited };
      },
    };
    const pipeline = kptfile('p', '  mutators:\n  - image: example.org/f:v1\n');
    const input = { files: files(pod('  containers: []\n'), { Kptfile: pipeline }), runtime: emitting };
    expect((await renderSettled(input)).ok).toBe(!refused);
    const result = await renderPackage({ ...input, guardrails: [nothing] });
    expect({ ok: result.ok, problem: result.problem }).toEqual({ ok: !refused, problem: undefined });
  });
});
