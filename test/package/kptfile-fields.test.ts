import { expect, test } from 'vitest';

import { fieldsOf } from '../../src/package/kptfile-fields.ts';

test.each([
  ['mutator', 'kpt does not know the field "mutator"; did you mean "mutators"?'],
  ['colour', 'kpt does not know the field "colour"'],
])('an unknown field %s is told with the one that was probably meant', (name, message) => {
  const told: unknown[] = [];
  fieldsOf({ [name]: [] }, ['pipeline'], (problem) => told.push(problem), ['mutators', 'validators']);
  expect(told).toEqual([{ path: `pipeline.${name}`, message }]);
});
