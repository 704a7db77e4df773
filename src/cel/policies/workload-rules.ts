/** Policies about how workloads run. */
import type { ReadyPolicy } from './ready-policy.ts';
import { CONTAINERS, POD } from './workloads.ts';

export const resourceLimits: ReadyPolicy = {
  name: 'resource-limits',
  demands: 'Every container sets resource requests and limits.',
  params: {
    requests: { type: 'texts', default: ['cpu', 'memory'], about: 'resources that must be requested' },
    limits: { type: 'texts', default: ['memory'], about: 'resources that must have a limit' },
    maxMemory: { type: 'text', default: '', about: 'no memory limit above this quantity, such as `4Gi`' },
  },
  policy: {
    variables: CONTAINERS,
    validations: [
      {
        expression: `variables.containers.filter(c, c.list != 'ephemeralContainers').map(c, ['requests', 'limits'].map(kind,
          params[kind]
            .filter(r, !(r in c.spec.?resources[?kind].orValue({})) && !(kind == 'requests' && r in c.spec.?resources.?limits.orValue({})))
            .map(r, {'field': c.path + '.resources.' + kind + '.' + r, 'message': 'the container ' + c.name + ' has no ' + (kind == 'limits' ? 'limit' : 'request') + ' for ' + r})
          ).flatten()).flatten()`,
      },
      {
        expression: `params.maxMemory == '' ? [] : variables.containers
          .filter(c, c.spec.?resources.?limits.?memory.hasValue() && quantity(string(c.spec.resources.limits.memory)).isGreaterThan(quantity(params.maxMemory)))
          .map(c, {'field': c.path + '.resources.limits.memory', 'message': 'the container ' + c.name + ' may use more than ' + params.maxMemory})`,
      },
    ],
  },
};

export const probes: ReadyPolicy = {
  name: 'probes',
  demands: 'Containers of Deployments, StatefulSets and DaemonSets have probes.',
  params: {
    probes: {
      type: 'texts',
      default: ['livenessProbe', 'readinessProbe'],
      about: 'fields that every container must have',
    },
  },
  policy: {
    conditions: [
      { name: 'long-running', expression: `object.kind in ['Deployment', 'StatefulSet', 'DaemonSet']` },
    ],
    variables: CONTAINERS,
    validations: [
      {
        expression: `variables.containers.filter(c, c.list == 'containers').map(c, params.probes
          .filter(p, !(p in c.spec))
          .map(p, {'field': c.path + '.' + p, 'message': 'the container ' + c.name + ' has no ' + p})).flatten()`,
      },
    ],
  },
};

export const replicaBounds: ReadyPolicy = {
  name: 'replica-bounds',
  demands: 'Deployments, StatefulSets and autoscalers keep their number of replicas within bounds.',
  params: {
    min: { type: 'number', default: 1, about: 'the smallest number' },
    max: { type: 'number', default: 20, about: 'the largest number' },
  },
  policy: {
    variables: [
      {
        name: 'counts',
        expression: `object.kind in ['Deployment', 'StatefulSet', 'ReplicaSet']
            ? [{'field': 'spec.replicas', 'value': object.?spec.?replicas.orValue(1)}]
          : object.kind == 'HorizontalPodAutoscaler'
            ? [{'field': 'spec.minReplicas', 'value': object.?spec.?minReplicas.orValue(1)},
               {'field': 'spec.maxReplicas', 'value': object.?spec.?maxReplicas.orValue(params.max)}]
          : []`,
      },
    ],
    validations: [
      {
        expression: `variables.counts.filter(c, type(c.value) == int && (c.value < params.min || c.value > params.max))
          .map(c, {'field': c.field, 'message': string(c.value) + ' replicas: there must be ' + string(params.min) + ' to ' + string(params.max)})`,
      },
    ],
  },
};

export const noExposedServices: ReadyPolicy = {
  name: 'no-exposed-services',
  demands: 'Services are not of the types that open them to the outside, and have no `externalIPs`.',
  params: {
    types: { type: 'texts', default: ['LoadBalancer', 'NodePort'], about: 'types that are not allowed' },
  },
  policy: {
    validations: [
      {
        expression: `object.kind == 'Service' && object.apiVersion == 'v1' && object.?spec.?type.orValue('ClusterIP') in params.types
          ? [{'field': 'spec.type', 'message': 'a Service of type ' + object.spec.type + ' is open to the outside'}] : []`,
      },
      {
        expression: `object.kind == 'Service' && object.apiVersion == 'v1' && size(object.?spec.?externalIPs.orValue([])) > 0
          ? [{'field': 'spec.externalIPs', 'message': 'a Service with externalIPs is open to the outside'}] : []`,
      },
    ],
  },
};

export const keptResources: ReadyPolicy = {
  name: 'kept-resources',
  demands: 'A proposal does not remove resources of these kinds.',
  notes:
    'Compares with the base branch, so only the App can check it. A renamed resource counts as removed; removing the whole package is not checked.',
  params: {
    kinds: {
      type: 'texts',
      default: ['CustomResourceDefinition', 'Namespace', 'PersistentVolume', 'PersistentVolumeClaim'],
      about: 'kinds that stay',
    },
  },
  policy: {
    deletions: true,
    validations: [
      {
        expression: `object != null || !(oldObject.kind in params.kinds)`,
        messageExpression: `oldObject.kind + ' ' + oldObject.metadata.name + ' is removed, and its data may be lost'`,
      },
    ],
  },
};

export const steadySelectors: ReadyPolicy = {
  name: 'steady-selectors',
  demands: 'Selectors and volume claims that are immutable in Kubernetes do not change from the base branch.',
  params: {},
  policy: {
    conditions: [
      {
        name: 'changed',
        expression: `object != null && oldObject != null && object.apiVersion.startsWith('apps/')`,
      },
    ],
    variables: POD,
    validations: [
      {
        expression: `!has(object.spec) || !has(oldObject.spec) ? [] :
          ['selector', 'volumeClaimTemplates', 'serviceName']
            .filter(f, object.spec[?f] != oldObject.spec[?f] && (f == 'selector' || object.kind == 'StatefulSet'))
            .map(f, {'field': 'spec.' + f, 'message': 'spec.' + f + ' cannot be changed once the ' + object.kind + ' is in a cluster'})`,
      },
    ],
  },
};
