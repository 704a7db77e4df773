import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createRuntime } from '../../src/function/runtime.ts';
import { createContentWork, type ContentOptions, type ContentWork } from '../../src/isolation/content.ts';
import { openQuarantine, type Verdict, type VerdictStore } from '../../src/isolation/quarantine.ts';
import type { Share } from '../../src/isolation/share.ts';
import { mergePackages } from '../../src/package/merge/merge.ts';
import type { PackageFiles } from '../../src/package/package.ts';
import type { Guardrail, RenderResult } from '../../src/package/render/render-types.ts';
import { renderPackage } from '../../src/package/render/render.ts';
import { longTest } from '../long-test.ts';
import { CONFIG_MAP, HOSTILE, kptfile, manyFunctions, packageOf } from './hostile-packages.ts';

const runtime = createRuntime();
const textOf = (files: PackageFiles, path: string): string =>
  new TextDecoder().decode(files.get(path)?.bytes);

/** As many steps as a policy may take, on as many resources as it takes for that: half a second. */
const SLOW_POLICY: Guardrail = {
  name: 'slow',
  type: 'validator',
  mode: 'enforce',
  spec: {},
  policy: { validations: [{ expression: 'lists.range(3000).all(a, a >= 0)' }] },
};
const MANY = Array.from({ length: 500 }, (_, at) => CONFIG_MAP.replace('name: web', `name: m${at}`)).join(
  '---\n',
);
/** More to remember than what a small process may. */
const MEMORABLE = packageOf({
  Kptfile: kptfile('  - image: set-labels:v0.2\n    configMap: { team: web }\n'),
  'many.yaml': Array.from({ length: 3_000 }, (_, at) =>
    CONFIG_MAP.replace('name: web', `name: m${at}`).replace('a: b', `a: ${'x '.repeat(300)}`),
  ).join('---\n'),
});
const LABELS: Guardrail = {
  name: 'labels',
  type: 'validator',
  mode: 'enforce',
  spec: {},
  policy: { validations: [{ expression: 'has(object.metadata.labels)', message: 'labels are missing' }] },
};

const PLAIN = packageOf({
  Kptfile: kptfile('  - image: set-labels:v0.2\n    configMap: { team: web }\n'),
  'map.yaml': CONFIG_MAP,
  'README.md': '# Web\n',
});
const LARGE = new Map([...PLAIN, ...packageOf({ 'many.yaml': MANY })]);
/** What a policy judges is what comes out. */
const input = (guardrails: readonly Guardrail[] = []) => ({ files: PLAIN, runtime, guardrails });
const slow = (guardrails: readonly Guardrail[] = [SLOW_POLICY]) => ({ files: LARGE, runtime, guardrails });

/** One that is long, one that is deep, one that grows. */
const TOLD_ALWAYS = new Set(['a range in a glob', 'deep nesting', 'a text that doubles']);

const LIMITS = { stepCpuMs: 250, workCpuMs: 3_000, jobCpuMs: 6_000, heapMebibytes: 96 };

/** With one process, which has loaded its code: that takes time too. */
async function start(options: Partial<ContentOptions> = {}): Promise<ContentWork> {
  const work = await createContentWork({
    version: 'test',
    processes: 1,
    ...options,
    limits: { ...LIMITS, ...options.limits },
  });
  await warm(work);
  return work;
}

async function warm(work: ContentWork): Promise<void> {
  await work.within({ class: 'own' }, () => work.content.render({ ...input([LABELS]), files: LARGE }));
}

function storeOf(kept = new Map<string, string>()): VerdictStore & { readonly kept: Map<string, string> } {
  return {
    kept,
    load: async () => [...kept].map(([key, value]) => [key, JSON.parse(value) as Verdict] as const),
    put: async (key, verdict) => void kept.set(key, JSON.stringify(verdict)),
    remove: async (key) => void kept.delete(key),
  };
}

const side = (value: string): PackageFiles =>
  packageOf({ Kptfile: kptfile(''), 'map.yaml': CONFIG_MAP.replace('a: b', `a: ${value}`) });
const named = (text: string, id: string): PackageFiles =>
  new Map([...PLAIN, ['map.yaml', { mode: '100644' as const, id, bytes: new TextEncoder().encode(text) }]]);

describe('what comes back is what would come out here', () => {
  let work: ContentWork;
  beforeAll(async () => {
    work = await createContentWork({ version: 'test' });
  });
  afterAll(() => work[Symbol.dispose]());

  test('a render, with its guardrails, findings and files, those unchanged being the same objects', async () => {
    const here = await renderPackage(input([LABELS]));
    const there = await work.content.render(input([LABELS]));
    expect({ ...there, files: null }).toEqual({ ...here, files: null });
    expect(textOf(there.files, 'map.yaml')).toBe(textOf(here.files, 'map.yaml'));
    expect(there.files.get('README.md')).toBe(PLAIN.get('README.md'));
  });

  test('a merge and its conflicts', async () => {
    const sides = { base: side('b'), upstream: side('u'), local: side('l') };
    const here = mergePackages(sides);
    const there = await work.content.merge(sides);
    expect(there.conflicts).toEqual(here.conflicts);
    expect(here.conflicts).toHaveLength(1);
    expect(textOf(there.files, 'map.yaml')).toBe(textOf(here.files, 'map.yaml'));
  });

  test('contents that git names are sent once, and what is sent is what is worked on', async () => {
    for (const [text, id] of [
      [CONFIG_MAP, 'one'],
      [CONFIG_MAP.replace('a: b', 'a: c'), 'two'],
      [CONFIG_MAP, 'one'],
    ] as const) {
      const { files } = await work.content.render({ ...input(), files: named(text, id) });
      expect(textOf(files, 'map.yaml')).toContain(text.includes('a: c') ? 'a: c' : 'a: b');
    }
  });

  test('what is applied of a package with a chart is what the processor makes of it', async () => {
    const files = packageOf({
      Kptfile: kptfile(''),
      'portico-sources.yaml': `apiVersion: config.portico.dev/v1alpha1
kind: Sources
metadata: { name: sources, annotations: { config.kubernetes.io/local-config: "true" } }
sources: [{ id: chart, helm: { repository: "https://example.com", chart: shop, version: "1.x" } }]
processors: [{ helm: { chart: chart, release: shop, namespace: shop }, out: rendered }]
`,
      'chart/templates/web.yaml': '{{- if .Values.web }}\nname: web\n{{- end }}\n',
      'rendered/map.yaml': CONFIG_MAP,
    });
    expect([...(await work.content.deployable(files)).keys()]).toEqual(['rendered/map.yaml']);
  });

  test('errors that people have to mend come back as they are', async () => {
    const upstream = packageOf({ Kptfile: kptfile(''), 'map.yaml': CONFIG_MAP });
    const changed = packageOf({ Kptfile: kptfile(''), 'map.yaml': `${CONFIG_MAP}# mine\n` });
    const asked = work.content.merge({ base: upstream, upstream, local: changed, strategy: 'fast-forward' });
    await expect(asked).rejects.toMatchObject({ code: 'NOT_FAST_FORWARD', blame: 'user' });
  });
});

longTest(
  'content that takes too long is stopped at its step, and what else is to be judged is judged (61)',
  async () => {
    using work = await start();
    const result = await work.content.renderSettled(slow([SLOW_POLICY, LABELS]));
    expect(result.ok).toBe(false);
    const run = (name: string): unknown => result.runs.find(({ guardrail }) => guardrail === name);
    expect(run('slow')).toMatchObject({
      exitCode: 1,
      refused: { code: 'CONTENT_TIME', message: expect.stringContaining('slow') as string },
    });
    expect(run('labels')).toMatchObject({ exitCode: 0 });
  },
);

test('content that takes too much memory ends its process and no other (61)', async () => {
  const long = CONFIG_MAP.replace('a: b', `a: ${'x '.repeat(300)}`);
  const huge = Array.from({ length: 4_500 }, (_, at) => long.replace('name: web', `name: m${at}`)).join(
    '---\n',
  );
  using work = await start({
    limits: { heapMebibytes: 32, stepCpuMs: 60_000, workCpuMs: 60_000, jobCpuMs: 60_000 },
  });
  const [greedy, plain] = await Promise.all([
    work.content.renderSettled({
      ...input([LABELS]),
      files: new Map([...PLAIN, ...packageOf({ 'huge.yaml': huge })]),
    }),
    work.content.renderSettled(input([LABELS])),
  ]);
  expect(greedy).toMatchObject({ ok: false, problem: { code: 'CONTENT_MEMORY' } });
  // Nobody knows what comes out, so no guardrail has passed.
  expect(greedy.runs).toMatchObject([
    { guardrail: 'labels', exitCode: 1, refused: { code: 'CONTENT_MEMORY' } },
  ]);
  expect(plain.ok).toBe(true);
});

longTest('what comes from a fork gets less memory, until somebody who may asks for more (61)', async () => {
  const ends: string[] = [];
  using work = await start({
    limits: {
      heapMebibytes: 256,
      forkHeapMebibytes: 30,
      stepCpuMs: 60_000,
      workCpuMs: 60_000,
      jobCpuMs: 60_000,
    },
    ended: (share, outcome) => ends.push(`${share}: ${outcome}`),
  });
  ends.splice(0);
  const render = async (share: Share): Promise<RenderResult['problem']> => {
    const { problem, runs } = await work.within(share, () =>
      work.content.render({ files: MEMORABLE, runtime }),
    );
    return runs.find(({ refused }) => refused)?.refused ?? problem;
  };
  const refused = await render({ class: 'long-strangers' });
  expect(refused).toMatchObject({
    code: 'CONTENT_MEMORY',
    message: expect.stringContaining('more than 30 MiB') as string,
    hint: expect.stringContaining('/portico render') as string,
  });
  expect(ends.splice(0)).toContain('long-strangers: memory');
  expect(await render({ class: 'strangers' })).toEqual(refused);
  expect(ends.splice(0)).not.toContain('strangers: memory');
  // It says nothing of what others propose, who may use more.
  expect(await render({ class: 'own' })).toBeUndefined();
  expect(await render({ class: 'asked-strangers', anew: true })).toBeUndefined();
  // The next look, which nobody asked for, finds the same.
  expect(await render({ class: 'long-strangers' })).toBeUndefined();
  expect(ends).toEqual(['own: answer', 'asked-strangers: answer', 'asked-strangers: answer']);
});

longTest('functions that are each cheap enough are not, together (61)', async () => {
  using work = await start({ limits: { functions: 250, workCpuMs: 2_000 } });
  const many = await work.content.renderSettled({ files: packageOf(manyFunctions(250)), runtime });
  expect(many.ok).toBe(false);
  const labels = '  - image: set-labels:v0.2\n    configMap: { a: b }\n';
  const files = packageOf({ Kptfile: kptfile(labels.repeat(251)), 'map.yaml': CONFIG_MAP });
  expect(await work.content.renderSettled({ files, runtime })).toMatchObject({
    ok: false,
    problem: { code: 'CONTENT_COUNT' },
  });
});

test('what met a limit is not tried again, over a restart too, until it changes or somebody who may asks (61)', async () => {
  const store = storeOf();
  const ended: string[] = [];
  const begin = async (): Promise<ContentWork> => {
    const work = await start({
      limits: { workCpuMs: 400 },
      quarantine: await openQuarantine(store),
      ended: (_share, outcome) => ended.push(outcome),
    });
    ended.splice(0);
    return work;
  };
  /** How the processes ended that worked meanwhile. */
  const endsOf = async (files: PackageFiles, work: ContentWork, anew = false): Promise<readonly string[]> => {
    const render = (): Promise<RenderResult> => work.content.render({ ...slow(), files });
    expect((await work.within({ class: 'own', anew }, render)).ok).toBe(false);
    return ended.splice(0);
  };
  {
    using work = await begin();
    expect(await endsOf(LARGE, work)).toContain('cpu');
    expect(await endsOf(LARGE, work)).not.toContain('cpu');
  }
  using work = await begin();
  expect(await endsOf(LARGE, work)).not.toContain('cpu');
  await warm(work);
  const other = new Map([...LARGE, ...packageOf({ a: 'b' })]);
  expect(await endsOf(other, work)).toContain('cpu');
  await warm(work);
  expect(await endsOf(LARGE, work, true)).toContain('cpu');
});

test('a process that somebody outside ends condemns nothing', async () => {
  const store = storeOf();
  using work = await start({
    limits: { stepCpuMs: 60_000, workCpuMs: 60_000, jobCpuMs: 60_000 },
    quarantine: await openQuarantine(store),
  });
  const many = Array.from({ length: 100 }, (_, at) => ({ ...SLOW_POLICY, name: `slow-${at}` }));
  const lost = expect(work.content.render(slow(many))).rejects.toMatchObject({
    code: 'CONTENT_PROCESS',
    blame: 'forge',
  });
  const kills = setInterval(() => {
    for (const pid of work.pids()) process.kill(pid, 'SIGKILL');
  }, 200);
  await lost;
  clearInterval(kills);
  expect(store.kept.size).toBe(0);
  expect(await work.content.render(input([LABELS]))).toMatchObject({ ok: true });
});

test('a job has one allowance for all that it works on, and a turn that is shorter', async () => {
  using work = await start({ limits: { stepCpuMs: 60_000, jobCpuMs: 300 } });
  const codes = await work.within({ class: 'own' }, async () => {
    const first = await work.content.render(slow());
    const second = await work.content.render(input([LABELS]));
    return [first, second].map(({ problem }) => problem?.code);
  });
  expect(codes).toEqual(['CONTENT_TIME', 'CONTENT_TIME']);
  const turn = work.within({ class: 'strangers', sliceCpuMs: 100 }, () => work.content.render(slow()));
  await expect(turn).rejects.toMatchObject({ code: 'CONTENT_LATER' });
});

longTest('while everything is busy, others are worked on after a second', async () => {
  using work = await start({ limits: { stepCpuMs: 120_000, workCpuMs: 120_000, jobCpuMs: 120_000 } });
  const enough = new AbortController();
  const many = Array.from({ length: 150 }, (_, at) => ({ ...SLOW_POLICY, name: `slow-${at}` }));
  const order: string[] = [];
  const long = work.content.render({ ...slow(many), signal: enough.signal }).catch((error: unknown) => {
    order.push('stopped');
    return error;
  });
  expect(await work.content.render(input([LABELS]))).toMatchObject({ ok: true });
  order.push('other');
  enough.abort(new Error('enough'));
  expect(await long).toMatchObject({ message: 'enough' });
  expect(order).toEqual(['other', 'stopped']);
});

for (const [name, make] of Object.entries(HOSTILE)) {
  const told = TOLD_ALWAYS.has(name) ? test : longTest;
  told(`${name}: an answer comes, and the next is answered (61)`, async () => {
    using work = await createContentWork({ version: 'test', limits: LIMITS });
    const result = await work.content.renderSettled({ files: packageOf(make()), runtime });
    expect(typeof result.ok).toBe('boolean');
    expect(await work.content.render(input([LABELS]))).toMatchObject({ ok: true });
  });
}
