import { setFlagsFromString } from 'node:v8';

import { PorticoError } from '../error.ts';

let enabled = false;

/**
 * A regular expression of a package, run in linear time as Go's RE2 does: no pattern can make the process hang.
 * V8's linear engine is behind a flag, which is for the whole process and stays on.
 * @throws PorticoError REGEXP_INVALID for what cannot be run in linear time or is no expression
 */
export function linearRegExp(pattern: string): RegExp {
  if (!enabled) {
    setFlagsFromString('--enable-experimental-regexp-engine');
    enabled = true;
  }
  const inline = /^\(\?([ims]+)\)/.exec(pattern);
  const source = (inline === null ? pattern : pattern.slice(inline[0].length)).replaceAll('(?P<', '(?<');
  try {
    return new RegExp(source, `l${inline?.[1] ?? ''}`);
  } catch (cause) {
    const message = `The regular expression ${JSON.stringify(pattern.slice(0, 200))} is not allowed`;
    throw new PorticoError('REGEXP_INVALID', message, {
      cause,
      hint: 'Use RE2 syntax: no back references, no look-around.',
    });
  }
}
