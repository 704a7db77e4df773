import { expect, test } from 'vitest';

import { mergePackages } from '../../../src/package/merge/merge.ts';
import { packageOf, textsOf } from './trees.ts';

type Edit = (text: string, at: number) => string;

/** A definition with hundreds of lines, as bundles of cluster APIs have them. */
function definition(at: number): string {
  const fields = Array.from(
    { length: 120 },
    (_, field) =>
      `              field${field}:\n                description: Says what field ${field} of ${at} is for.\n                type: string\n`,
  );
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: kind${at}.acme.example
  annotations:
    version: v1
spec:
  group: acme.example
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          spec:
            properties:
${fields.join('')}    served: true
    storage: true
`;
}

function definitions(edit: Edit): ReturnType<typeof packageOf> {
  const documents = Array.from({ length: 40 }, (_, at) => edit(definition(at), at));
  return packageOf({ 'all.yaml': documents.join('---\n') });
}

const theirs: Edit = (text, at) =>
  at % 3 === 0 ? text.replace('version: v1', 'version: v2').replace('field 60', 'column 60') : text;
const own: Edit = (text, at) =>
  at % 2 === 0 ? text.replace('annotations:\n', 'annotations:\n    mine: here\n') : text;

test('a file with many large definitions merges as each of them alone', () => {
  const { files, conflicts } = mergePackages({
    base: definitions((text) => text),
    upstream: definitions(theirs),
    local: definitions(own),
  });
  expect(conflicts).toEqual([]);
  expect(textsOf(files)).toEqual(textsOf(definitions((text, at) => own(theirs(text, at), at))));
});
