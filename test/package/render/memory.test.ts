import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { createRuntime } from '../../../src/function/runtime.ts';
import type { PackageFile, PackageFiles } from '../../../src/package/package.ts';
import { createRenderMemory } from '../../../src/package/render/memory.ts';
import type { FileOutcome, RenderMemory } from '../../../src/package/render/memory.ts';
import type { Guardrail, RenderResult } from '../../../src/package/render/render-types.ts';
import { renderPackage } from '../../../src/package/render/render.ts';

const runtime = createRuntime();

function fileOf(text: string): PackageFile {
  return { mode: '100644', bytes: new TextEncoder().encode(text) };
}

function shown({ files, ...result }: RenderResult): unknown {
  const texts = [...files].map(([path, { bytes }]) => [path, new TextDecoder().decode(bytes)]);
  return { ...result, findings: result.findings.map((finding) => ({ ...finding })), texts };
}

const name = fc.constantFrom('a', 'b', 'c');
const functions = fc.constantFrom(
  'image: set-namespace:v0.4\n    configMap: { namespace: one }',
  'image: set-namespace:v0.4\n    configMap: { namespace: two, namespaceMatcher: one }',
  'image: set-namespace:v0.4',
  'image: set-labels:v0.2\n    configMap: { team: x }',
  'image: set-labels:v0.2\n    configMap: { team: y }\n    selectors: [{ kind: Service }]',
  'image: set-annotations:v0.1\n    configMap: { note: z }\n    exclude: [{ kind: Kptfile }]',
  'image: set-annotations:v0.1\n    configMap: { internal.config.kubernetes.io/path: moved.yaml }',
  'image: set-image:v0.1\n    configMap: { name: nginx, newTag: v9 }',
  'image: apply-setters:v0.2\n    configMap: { tag: v3 }',
  'image: search-replace:v0.2\n    configMap: { by-value: "1", put-value: "2" }',
  'image: search-replace:v0.2\n    configMap: { by-path: metadata.name, put-value: "" }',
  'image: no-op',
  'image: apply-setters:v0.2\n    configPath: a-0.yaml',
  'image: ensure-name-substring:v0.2\n    configMap: { prepend: p- }',
  'image: unknown:v1',
);
const documents = fc
  .tuple(name, fc.constantFrom('one', 'two', ''), fc.nat(4))
  .map(([called, space, kind]) => {
    const head = (type: string): string =>
      `${type}\nmetadata:\n  name: ${called} # it\n${space === '' ? '' : `  namespace: ${space}\n`}`;
    return [
      `${head('apiVersion: apps/v1\nkind: Deployment')}spec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: x\n        image: nginx:v1 # kpt-set: nginx:\${tag}\n`,
      `${head('apiVersion: v1\nkind: Service')}spec:\n  selector: { app: x }\n`,
      `${head('apiVersion: v1\nkind: ConfigMap')}data:\n  tag: "1"\n`,
      `${head('apiVersion: v1\nkind: Pod')}  annotations:\n    config.kubernetes.io/depends-on: /namespaces/one/Service/a\n`,
      `${head('apiVersion: v1\nkind: ConfigMap')}  annotations:\n    config.kubernetes.io/local-config: "true"\n`,
    ][kind]!;
  });
const kptfile = fc
  .array(functions, { maxLength: 3 })
  .map(
    (list) =>
      `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\npipeline:\n  mutators:${list.length === 0 ? ' []' : ''}\n${list.map((one) => `  - ${one}\n`).join('')}`,
  );
const resourceFile = fc.array(documents, { minLength: 1, maxLength: 3 }).map((all) => all.join('---\n'));
const path = fc.constantFrom('a-0.yaml', 'b.yaml', 'dir/c.yaml', 'sub/d.yaml', 'sub/deep/e.yaml');
const edit = fc.oneof(
  fc.tuple(path, resourceFile),
  fc.tuple(fc.constantFrom('Kptfile', 'sub/Kptfile', 'sub/deep/Kptfile'), kptfile),
  fc.tuple(path, fc.constant(undefined)),
);

describe('a render with memory', () => {
  test('comes to the same as one without, whatever was rendered before', async () => {
    const guardrails: Guardrail[] = [
      {
        name: 'owner',
        type: 'mutator',
        mode: 'enforce',
        spec: { image: 'set-labels:v0.2', configMap: { owner: 'all' } },
      },
    ];
    await fc.assert(
      fc.asyncProperty(
        kptfile,
        fc.array(edit, { minLength: 2, maxLength: 8 }),
        fc.boolean(),
        async (root, edits, guarded) => {
          const memory = createRenderMemory(2_000);
          let files: PackageFiles = new Map([['Kptfile', fileOf(root)]]);
          for (const [place, text] of edits) {
            const next = new Map(files);
            if (text === undefined) next.delete(place);
            else next.set(place, fileOf(text));
            files = next;
            const input = { files, runtime, ...(guarded ? { guardrails } : {}) };
            const fresh = await renderPackage(input);
            const again = await renderPackage({ ...input, memory });
            expect(shown(again)).toEqual(shown(fresh));
            // Often what is rendered next is what came out.
            if (fresh.ok && text?.length !== 0 && edits.length % 2 === 0) files = again.files;
          }
        },
      ),
      { numRuns: process.env['PORTICO_LONG'] === '1' ? 5_000 : 40 },
    );
  }, 900_000);

  test('looks only at files that changed', async () => {
    const kept: string[] = [];
    const memory = spying(createRenderMemory(), kept);
    const root = fileOf(
      'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\npipeline:\n  mutators:\n  - image: set-labels:v0.2\n    configMap: { team: x }\n',
    );
    const service = (called: string): PackageFile =>
      fileOf(`apiVersion: v1\nkind: Service\nmetadata:\n  name: ${called}\n`);
    const files = new Map([
      ['Kptfile', root],
      ['a.yaml', service('a')],
      ['b.yaml', service('b')],
    ]);
    await renderPackage({ files, runtime, memory });
    expect(kept).toEqual(['Kptfile', 'a.yaml', 'b.yaml']);
    kept.length = 0;
    const changed = new Map(files).set('b.yaml', service('c'));
    const result = await renderPackage({ files: changed, runtime, memory });
    expect(kept).toEqual(['b.yaml']);
    expect(result.runs[0]?.results).toEqual([{ message: 'set 5 labels in total', severity: 'info' }]);
  });
});

/** Tells which files were worked out anew. */
function spying(memory: RenderMemory, kept: string[]): RenderMemory {
  const seen = new Set<FileOutcome>();
  return {
    ...memory,
    keep: (source, outcome) => {
      if (!seen.has(outcome)) kept.push(source.path);
      seen.add(outcome);
      memory.keep(source, outcome);
    },
  };
}
