import { positional } from './arguments.ts';
import type { Method } from './method.ts';
import { Elements } from './value.ts';
import type { Bytes } from './value.ts';

export const BYTES_METHODS: ReadonlyMap<string, Method<Bytes>> = new Map<string, Method<Bytes>>([
  [
    'elems',
    (bytes, args, named, budget) => {
      positional({ name: 'elems', args, named, least: 0 });
      budget.collect(bytes.data.length);
      const items = Array.from(bytes.data, (byte) => BigInt(byte.charCodeAt(0)));
      return new Elements(bytes.data, 'bytes.elems', true, items);
    },
  ],
]);
