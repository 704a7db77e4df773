/** Changes to Deployments by the rules of OLM's subscriptions. */
import { expect, test } from 'vitest';

import { deploymentConfigSchema, withDeploymentConfig } from '../../src/bundle/deployment-config.ts';

const DEPLOYMENT = {
  metadata: { name: 'demo', annotations: { both: 'own' } },
  spec: {
    template: {
      metadata: {},
      spec: {
        affinity: { nodeAffinity: { a: 1 }, podAffinity: { b: 1 } },
        tolerations: [{ key: 'a', operator: 'Exists' }],
        volumes: [{ name: 'data', emptyDir: {} }],
        containers: [{ name: 'manager', env: [{ name: 'A', value: 'old' }], resources: {} }],
      },
    },
  },
};

function podWith(config: unknown) {
  const changed = withDeploymentConfig(DEPLOYMENT, deploymentConfigSchema.parse(config)) as typeof DEPLOYMENT;
  return { ...changed.spec.template.spec, changed };
}

test('what has a name is replaced, what is listed is added once', () => {
  const pod = podWith({
    env: [
      { name: 'A', value: 'new' },
      { name: 'B', value: 'b' },
    ],
    tolerations: [{ operator: 'Exists', key: 'a' }, { key: 'b' }],
    volumes: [{ name: 'data', configMap: { name: 'c' } }],
    annotations: { both: 'config', one: 'config' },
  });
  expect(pod.containers[0]!.env).toEqual([
    { name: 'A', value: 'new' },
    { name: 'B', value: 'b' },
  ]);
  expect(pod.tolerations).toEqual([{ key: 'a', operator: 'Exists' }, { key: 'b' }]);
  expect(pod.volumes).toEqual([{ name: 'data', configMap: { name: 'c' } }]);
  expect(pod.changed.metadata.annotations).toEqual({ both: 'own', one: 'config' });
});

test('an affinity that is not named stays, an empty one erases, an empty part erases that part', () => {
  expect(podWith({}).affinity).toEqual(DEPLOYMENT.spec.template.spec.affinity);
  expect(podWith({ affinity: {} })).not.toHaveProperty('affinity');
  expect(podWith({ affinity: { nodeAffinity: {} } }).affinity).toEqual({ podAffinity: { b: 1 } });
  expect(podWith({ affinity: { podAffinity: { c: 1 } } }).affinity).toEqual({
    nodeAffinity: { a: 1 },
    podAffinity: { c: 1 },
  });
});

test('a field that nobody knows is refused', () => {
  expect(deploymentConfigSchema.safeParse({ nodeSelectors: {} }).success).toBe(false);
});
