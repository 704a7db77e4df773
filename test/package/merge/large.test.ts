import { expect, test } from 'vitest';

import { mergePackages } from '../../../src/package/merge/merge.ts';
import { packageOf, textsOf } from './trees.ts';

/** Definitions with hundreds of fields, as bundles of cluster APIs have them, in one file. */
function definitions(count: number, edit: (text: string, at: number) => string): string {
  const one = (at: number): string => {
    const fields = Array.from(
      { length: 120 },
      (_, field) =>
        `              field${field}:\n                description: Says what field ${field} of ${at} is for.\n                type: string\n`,
    );
    return `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: kind${at}.acme.example\n  annotations:\n    version: v1\nspec:\n  group: acme.example\n  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema:\n        properties:\n          spec:\n            properties:\n${fields.join('')}    served: true\n    storage: true\n`;
  };
  return Array.from({ length: count }, (_, at) => edit(one(at), at)).join('---\n');
}

test('a file with many large definitions merges as each of them alone', () => {
  const count = 40;
  const theirs = (text: string, at: number): string =>
    at % 3 === 0 ? text.replace('version: v1', 'version: v2').replace('of field 60', 'of column 60') : text;
  const own = (text: string, at: number): string =>
    at % 2 === 0 ? text.replace('annotations:\n', 'annotations:\n    mine: here\n') : text;
  const packages = [
    (text: string) => text,
    theirs,
    own,
    (text: string, at: number) => own(theirs(text, at), at),
  ];
  const [base, upstream, local, both] = packages.map((edit) =>
    packageOf({ 'all.yaml': definitions(count, edit) }),
  ) as [ReturnType<typeof packageOf>, ...ReturnType<typeof packageOf>[]];
  const { files, conflicts } = mergePackages({ base, upstream: upstream!, local: local! });
  expect(conflicts).toEqual([]);
  expect(textsOf(files)).toEqual(textsOf(both!));
});
