/** Policies about names, labels and namespaces. */
import type { ReadyPolicy } from './ready-policy.ts';
import { POD } from './workloads.ts';

export const requiredLabels: ReadyPolicy = {
  name: 'required-labels',
  demands: 'Every resource has the labels, each with a value.',
  params: {
    labels: { type: 'texts', required: true, about: 'keys that must be there' },
    values: { type: 'map of texts', default: {}, about: 'expressions that whole values must match, by key' },
    pods: { type: 'boolean', default: false, about: 'the same of pod templates' },
  },
  policy: {
    variables: [
      ...POD,
      {
        name: 'places',
        expression: `[{'path': 'metadata', 'labels': object.?metadata.?labels.orValue({})}] +
          (params.pods && variables.podPath.endsWith('template.spec')
            ? [{'path': variables.podPath.replace('template.spec', 'template.metadata'),
                'labels': (object.kind == 'CronJob' ? object.spec.jobTemplate.spec.template : object.kind == 'PodTemplate' ? object.template : object.spec.template)
                  .?metadata.?labels.orValue({})}]
            : [])`,
      },
    ],
    validations: [
      {
        expression: `variables.places.map(p, params.labels
          .filter(key, p.labels[?key].orValue('') == '')
          .map(key, {'field': p.path + '.labels.' + key, 'message': 'the label ' + key + ' is missing'})).flatten()`,
      },
      {
        expression: `variables.places.map(p, params.values
          .transformList(key, pattern, key in p.labels && p.labels[key] != '' && !p.labels[key].matches('^(?:' + pattern + ')$'),
            {'field': p.path + '.labels.' + key, 'message': 'the label ' + key + ' must match ' + pattern + ', and is ' + p.labels[key]})).flatten()`,
      },
    ],
  },
};

export const namespaceByPath: ReadyPolicy = {
  name: 'namespace-by-path',
  demands: "Resources live in the namespace that follows from the package's path.",
  notes: 'Only the namespaces that resources name, and the names of Namespaces themselves, are checked.',
  params: {
    namespace: {
      type: 'text',
      default: '{first}',
      about:
        'the namespace; `{first}` and `{last}` are parts of the package path, `{path}` is all of it with dashes, `{name}` the package',
    },
    allow: { type: 'texts', default: [], about: 'namespaces that may be used besides' },
  },
  policy: {
    variables: [
      {
        name: 'wanted',
        expression: `params.namespace
          .replace('{first}', package.path.split('/')[0])
          .replace('{last}', package.path.split('/')[size(package.path.split('/')) - 1])
          .replace('{path}', package.path.replace('/', '-'))
          .replace('{name}', package.name)`,
      },
      {
        name: 'named',
        expression: `object.kind == 'Namespace' && object.apiVersion == 'v1'
          ? [{'field': 'metadata.name', 'value': object.metadata.name}]
          : has(object.metadata.namespace) ? [{'field': 'metadata.namespace', 'value': object.metadata.namespace}] : []`,
      },
    ],
    validations: [
      {
        expression: `variables.named
          .filter(n, n.value != variables.wanted && !(n.value in params.allow))
          .map(n, {'field': n.field, 'message': 'the namespace of the package ' + package.path + ' is ' + variables.wanted + ', not ' + n.value})`,
      },
    ],
  },
};
