import { expect, test } from 'vitest';

import { catalogDiff, type CatalogChange } from '../../src/fbc/catalog-diff.ts';
import type { ModelPackage } from '../../src/fbc/model.ts';
import { readCatalog } from '../../src/fbc/read-catalog.ts';
import { validateCatalog } from '../../src/fbc/validate.ts';
import { documentsOf, filesOf } from './catalog-text.ts';

type Documents = readonly object[];

function packages(documents: Documents): ReadonlyMap<string, ModelPackage> {
  const { errors, packages: found } = validateCatalog(readCatalog(filesOf(documents)));
  expect(errors).toEqual([]);
  return found;
}

function lines(before: Documents, after: Documents): string[] {
  return catalogDiff(packages(before), packages(after)).map(lineOf);
}

function lineOf({ change, what, package: of, channel, name, before, after }: CatalogChange): string {
  const at = [of, channel, name].filter((part) => part !== undefined).join(' ');
  return `${change} ${what} ${at}: ${before.join(', ')} -> ${after.join(', ')}`;
}

const OLD = documentsOf({ stable: [{ name: 'p.v1.0.0' }, { name: 'p.v1.1.0', replaces: 'p.v1.0.0' }] });

test('a catalog does not differ from itself, in whatever order its documents stand', () => {
  expect(lines(OLD, OLD.toReversed())).toEqual([]);
});

test('a new version is a bundle, an entry with the edges that lead to it, and a head', () => {
  const now = documentsOf({
    stable: [
      { name: 'p.v1.0.0' },
      { name: 'p.v1.1.0', replaces: 'p.v1.0.0' },
      { name: 'p.v1.2.0', replaces: 'p.v1.1.0', skipRange: '<1.1.0' },
    ],
  });
  expect(lines(OLD, now)).toEqual([
    'added bundle p p.v1.2.0:  -> version 1.2.0, example.com/p:p.v1.2.0',
    'changed head p stable: p.v1.1.0 -> p.v1.2.0',
    'added entry p stable p.v1.2.0:  -> p.v1.0.0 (skipRange), p.v1.1.0 (replaces)',
  ]);
  expect(lines(now, OLD).map((line) => line.split(' ', 2)[0])).toEqual(['removed', 'changed', 'removed']);
});

test('a bundle without an image is listed with its version alone', () => {
  const bare = documentsOf({ stable: [{ name: 'p.v1.0.0' }] }).map((one) =>
    'image' in one ? { ...one, image: '' } : one,
  );
  const object = { type: 'olm.bundle.object', value: { data: btoa('{"kind":"ClusterServiceVersion"}') } };
  const held = bare.map((one) =>
    'properties' in one ? { ...one, properties: [...(one.properties as object[]), object] } : one,
  );
  expect(lines([], held)).toEqual(['added package p:  -> 1 channel, 1 bundle']);
  const [of, , bundle] = held;
  const other = {
    ...(bundle as object),
    name: 'p.v0.9.0',
    properties: [{ type: 'olm.package', value: { packageName: 'p', version: '0.9.0' } }, object],
  };
  const channel = {
    schema: 'olm.channel',
    package: 'p',
    name: 'stable',
    entries: [{ name: 'p.v1.0.0', replaces: 'p.v0.9.0' }, { name: 'p.v0.9.0' }],
  };
  expect(lines(held, [of!, channel, bundle!, other])).toContain('added bundle p p.v0.9.0:  -> version 0.9.0');
});

test('an edge that is gone is a change of the entry that it led to', () => {
  const now = documentsOf({ stable: [{ name: 'p.v1.0.0' }, { name: 'p.v1.1.0', skips: ['p.v1.0.0'] }] });
  expect(lines(OLD, now)).toEqual([
    'changed entry p stable p.v1.1.0: p.v1.0.0 (replaces) -> p.v1.0.0 (skips)',
  ]);
});

test('packages and channels that come or go are listed as a whole', () => {
  const channels = { stable: [{ name: 'p.v1.0.0' }, { name: 'p.v1.1.0', replaces: 'p.v1.0.0' }] };
  const now = [
    ...documentsOf({ ...channels, fast: [{ name: 'p.v1.1.0' }] }),
    ...documentsOf({ alpha: [{ name: 'q.v2.0.0' }] }, 'q'),
  ];
  expect(lines(OLD, now)).toEqual([
    'added channel p fast:  -> head p.v1.1.0, 1 entry',
    'added package q:  -> 1 channel, 1 bundle',
  ]);
});

/** The first bundle, with another image. */
function edited(document: object): object {
  const { schema, name } = document as { schema: string; name: string };
  return schema === 'olm.bundle' && name === 'p.v1.0.0'
    ? { ...document, image: 'example.com/p:again' }
    : document;
}

test('a rebuilt image and a deprecation are listed', () => {
  const deprecations = {
    schema: 'olm.deprecations',
    package: 'p',
    entries: [{ reference: { schema: 'olm.bundle', name: 'p.v1.0.0' }, message: 'it leaks' }],
  };
  expect(lines(OLD, [...OLD.map(edited), deprecations])).toEqual([
    'changed bundle p p.v1.0.0: example.com/p:p.v1.0.0 -> example.com/p:again, image',
    'added deprecation p p.v1.0.0:  -> it leaks',
  ]);
});
