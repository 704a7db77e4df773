/** Variables that find pods and containers, whatever kind of workload holds them. */
import type { Named } from '../policy.ts';

/** `variables.podPath`: where the pod's spec is, '' where there is none; `variables.pod`: that spec, or an empty map. */
export const POD: readonly Named[] = [
  {
    name: 'podPath',
    expression: `object.kind == 'Pod' && has(object.spec) ? 'spec'
      : object.kind == 'CronJob' && object.?spec.?jobTemplate.?spec.?template.?spec.hasValue() ? 'spec.jobTemplate.spec.template.spec'
      : object.?spec.?template.?spec.hasValue() ? 'spec.template.spec'
      : object.kind == 'PodTemplate' && object.?template.?spec.hasValue() ? 'template.spec'
      : ''`,
  },
  {
    name: 'pod',
    expression: `variables.podPath == 'spec' ? object.spec
      : variables.podPath == 'spec.jobTemplate.spec.template.spec' ? object.spec.jobTemplate.spec.template.spec
      : variables.podPath == 'spec.template.spec' ? object.spec.template.spec
      : variables.podPath == 'template.spec' ? object.template.spec
      : {}`,
  },
];

/** And `variables.containers`: a list of `{path, name, spec}`, init and ephemeral containers among them. */
export const CONTAINERS: readonly Named[] = [
  ...POD,
  {
    name: 'containers',
    expression: `['containers', 'initContainers', 'ephemeralContainers'].map(list,
      variables.pod[?list].orValue([]).transformList(i, c, {
        'path': variables.podPath + '.' + list + '[' + string(i) + ']',
        'name': c.?name.orValue(string(i)),
        'list': list,
        'spec': c
      })).flatten()`,
  },
];

/** And `variables.contexts`: the security contexts of the pod and of its containers, a list of `{path, name, spec}`. */
export const CONTEXTS: readonly Named[] = [
  ...CONTAINERS,
  {
    name: 'contexts',
    expression: `[{'path': variables.podPath + '.securityContext', 'name': 'the pod', 'spec': variables.pod.?securityContext.orValue({})}] +
      variables.containers.map(c, {'path': c.path + '.securityContext', 'name': 'the container ' + c.name, 'spec': c.spec.?securityContext.orValue({})})`,
  },
];
