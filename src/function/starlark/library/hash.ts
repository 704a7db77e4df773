import { createHash } from 'node:crypto';

import { asString, positional } from '../arguments.ts';
import type { Native } from '../value.ts';

/** `hash.star`: digests in hexadecimal. */
export const HASH: Readonly<Record<string, Native>> = {
  md5: digest('md5'),
  sha1: digest('sha1'),
  sha256: digest('sha256'),
};

function digest(name: string): Native {
  return (args, named, budget) => {
    positional({ name, args, named, least: 1 });
    const text = asString(name, 1, args[0]);
    budget.work(10 + (text.length >> 4));
    budget.make(200);
    return createHash(name).update(text, 'latin1').digest('hex');
  };
}
