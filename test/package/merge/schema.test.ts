import { expect, test } from 'vitest';

import { builtinListKeys } from '../../../src/package/merge/schema.ts';
import { goldenLists } from './list-keys.ts';

const golden = [...goldenLists()];
/** Metadata inside of a resource has the same lists everywhere: also where a kind has no metadata there. */
const patterns = [...new Set(golden.flatMap(([, lists]) => Object.keys(lists)))].filter(
  (pattern) => !/metadata\.\w+$/.test(pattern),
);

test.each(golden)('lists of %s merge by the keys of kpt, and no other lists do', (name, lists) => {
  const [apiVersion = '', kind = ''] = name.split(' ');
  const keysOf = builtinListKeys(apiVersion, kind);
  for (const pattern of new Set([...patterns, ...Object.keys(lists)]))
    expect({ pattern, keys: keysOf(pattern) }).toEqual({ pattern, keys: lists[pattern] });
});
