/** Policies about what must not stand in git. */
import type { ReadyPolicy } from './ready-policy.ts';
import { CONTAINERS } from './workloads.ts';

export const noPlainSecrets: ReadyPolicy = {
  name: 'no-plain-secrets',
  demands: 'No Secret holds its data, and no variable whose name sounds secret holds a value.',
  notes: 'Sealed and external secrets, and references to Secrets, are fine.',
  params: {
    allow: { type: 'texts', default: [], about: 'names of Secrets that may hold data' },
    names: {
      type: 'text',
      default: '(?i)(passw(or)?d|secret|token|api_?key|private_?key|credential)s?$',
      about: 'an expression for names of variables that sound secret',
    },
  },
  policy: {
    variables: CONTAINERS,
    validations: [
      {
        expression: `object.kind == 'Secret' && object.apiVersion == 'v1' && !(object.metadata.name in params.allow)
          ? ['data', 'stringData'].map(f, object[?f].orValue({}).transformList(key, value, value != null && value != '',
              {'field': f + '.' + key, 'message': 'the secret ' + key + ' is stored in plain text'})).flatten()
          : []`,
      },
      {
        expression: `variables.containers.map(c, c.spec.?env.orValue([])
          .transformList(i, e, e.?name.orValue('').matches(params.names) && e.?value.orValue('') != '',
            {'field': c.path + '.env[' + string(i) + '].value', 'message': 'the variable ' + e.name + ' holds its value: take it from a Secret'})).flatten()`,
      },
    ],
  },
};
