import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

import { expect, test } from 'vitest';

import { createRuntime } from '../../../src/function/runtime.ts';
import type { Judgement } from '../../../src/package/render/function-runtime.ts';
import { moduleOf } from './policy.ts';

const bytes = gunzipSync(readFileSync(new URL('made-by-opa.wasm.gz', import.meta.url)));
const DIGEST = `@sha256:${'0'.repeat(64)}`;

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', labels: { owner: 'x' } },
  spec: { containers: [{ image: `nginx${DIGEST}` }, { image: 'nginx:1' }, { image: 'envoy:2' }] },
};
const sized = (size: number): Readonly<Record<string, unknown>> => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'b', labels: { owner: 'x', tier: 'y' } },
  data: { size },
});
const REVIEW = {
  changes: [
    { object: pod, oldObject: null },
    { object: sized(2), oldObject: sized(1) },
    { object: sized(2), oldObject: sized(2) },
  ],
  package: { name: 'web', path: 'web', repository: 'acme/x', labels: {}, annotations: {} },
  params: { team: 'blue' },
  namespaces: {},
};

function judge(entrypoint?: string): Promise<Judgement> {
  return createRuntime().judgeRego!(moduleOf(bytes, entrypoint), REVIEW);
}

const DENIED = [
  {
    at: 0,
    kind: 'violation',
    field: 'spec.containers[1].image',
    message: 'nginx:1 of team blue has no digest',
  },
  {
    at: 0,
    kind: 'violation',
    field: 'spec.containers[2].image',
    message: 'envoy:2 of team blue has no digest',
  },
  { at: 1, kind: 'violation', message: 'the size changed' },
];

test('a module that OPA itself compiled judges as its Rego says', async () => {
  const denied = await judge('k8s/deny');
  expect('remarks' in denied && denied.remarks).toHaveLength(DENIED.length);
  expect(denied).toEqual({ remarks: expect.arrayContaining(DENIED) });
});

test('without an entrypoint its rules are told apart by their names', async () => {
  const warned = { at: 0, kind: 'warning', message: 'pod: 1 missing, tier' };
  const all = await judge();
  expect('remarks' in all && all.remarks).toHaveLength(DENIED.length + 1);
  expect(all).toEqual({ remarks: expect.arrayContaining([...DENIED, warned]) });
});
