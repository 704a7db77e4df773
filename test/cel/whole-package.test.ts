/** `resources`: expressions that judge a resource among all of the package, or the package itself. */
import { expect, test } from 'vitest';

import { judge, type Remark } from '../../src/cel/judge.ts';
import { compilePolicy, readsResources, type Policy } from '../../src/cel/policy.ts';
import type { Data } from '../../src/cel/review.ts';

const resource = (kind: string, name: string, spec: Data = {}): Data => ({
  apiVersion: kind === 'Deployment' ? 'apps/v1' : kind === 'Namespace' ? 'v1' : 'policy/v1',
  kind,
  metadata: { name },
  spec,
});

const whole = (expression: string): Policy => ({
  wholePackage: true,
  validations: [{ expression, message: 'no' }],
});

function remarks(policy: Policy, resources: readonly Data[] | undefined, chosen = resources): Remark[] {
  const compiled = compilePolicy(policy);
  if (!compiled.ok) throw new Error(compiled.problems.map(({ message }) => message).join('\n'));
  return judge(compiled.compiled, {
    changes: (chosen ?? []).map((object) => ({ object, oldObject: null })),
    package: { name: 'web', path: 'web', repository: '', labels: {}, annotations: {} },
    namespaces: {},
    ...(resources && { resources }),
  });
}

const BUDGETED =
  "object.kind != 'Deployment' || resources.exists(r, r.kind == 'PodDisruptionBudget' && r.spec.app == object.metadata.name)";

test('a resource is judged among the others', () => {
  const resources = [
    resource('Deployment', 'web'),
    resource('Deployment', 'db'),
    resource('PodDisruptionBudget', 'a', { app: 'db' }),
  ];
  expect(remarks(whole(BUDGETED), resources)).toEqual([
    expect.objectContaining({ at: 0, kind: 'violation', message: 'no' }),
  ]);
});

test('what reads the package alone is judged once, also where the package is empty', () => {
  const policy = whole("resources.exists(r, r.kind == 'NetworkPolicy')");
  expect(remarks(policy, [resource('Deployment', 'a'), resource('Deployment', 'b')])).toEqual([
    { at: -1, kind: 'violation', message: 'no' },
  ]);
  expect(remarks(policy, [])).toHaveLength(1);
});

test('where no resource that the selectors mean is in the package, nothing is asked of it', () => {
  expect(remarks(whole('resources.size() > 5'), undefined)).toEqual([]);
});

test('a list names the resource of each finding', () => {
  const policy = whole(
    "resources.filter(r, r.kind == 'Namespace').map(r, {'resource': r, 'field': 'metadata.name', 'message': 'not ' + r.metadata.name})",
  );
  expect(remarks(policy, [resource('Namespace', 'a'), resource('Deployment', 'b')])).toEqual([
    {
      at: -1,
      kind: 'violation',
      message: 'not a',
      field: 'metadata.name',
      resource: { group: '', kind: 'Namespace', namespace: '', name: 'a' },
    },
  ]);
});

test('a policy for clusters does not know them', () => {
  const compiled = compilePolicy({ validations: [{ expression: 'resources.size() > 0' }] });
  expect(compiled).toMatchObject({
    ok: false,
    problems: [{ message: expect.stringContaining('a cluster sees one resource at a time') }],
  });
});

test('resources are handed over only where they are read', () => {
  expect(readsResources(whole('resources.size() > 0'))).toBe(true);
  expect(readsResources(whole('object.spec.replicas > 0'))).toBe(false);
});
