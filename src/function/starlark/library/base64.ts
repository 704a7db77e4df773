import { withoutEnd } from '../../../text/ends.ts';
import { asString, unpack } from '../arguments.ts';
import type { Budget } from '../budget.ts';
import { fault } from '../fault.ts';
import type { Native, Value } from '../value.ts';

/** Character sets by the names of upstream's library. */
const ALPHABETS: ReadonlySet<string> = new Set(['standard', 'standard_raw', 'url', 'url_raw']);

/** `encoding/base64.star` */
export const BASE64: Readonly<Record<string, Native>> = {
  encode(args, named, budget) {
    const { text, alphabet } = readArguments('encode', args, named, budget);
    const encoded = Buffer.from(text, 'latin1').toString(alphabet.startsWith('url') ? 'base64url' : 'base64');
    if (alphabet.endsWith('_raw')) return withoutEnd(encoded, '=');
    return encoded.padEnd(Math.ceil(encoded.length / 4) * 4, '=');
  },
  decode(args, named, budget) {
    const { text, alphabet } = readArguments('decode', args, named, budget);
    const compact = text.replaceAll(/[\r\n]/g, '');
    const pattern = alphabet.startsWith('url') ? /^[A-Za-z0-9_-]*={0,2}$/ : /^[A-Za-z0-9+/]*={0,2}$/;
    const padded = !alphabet.endsWith('_raw');
    const size = withoutEnd(compact, '=').length;
    const complete = padded ? compact.length % 4 === 0 : size === compact.length && size % 4 !== 1;
    if (!pattern.test(compact) || !complete) throw fault('decode: illegal base64 data');
    return Buffer.from(compact, alphabet.startsWith('url') ? 'base64url' : 'base64').toString('latin1');
  },
};

function readArguments(
  name: string,
  args: readonly Value[],
  named: ReadonlyMap<string, Value>,
  budget: Budget,
): { readonly text: string; readonly alphabet: string } {
  const [source, encoding] = unpack(name, ['src', 'encoding?'], args, named);
  const text = asString(name, 1, source);
  const given = encoding === undefined ? '' : asString(name, 2, encoding);
  const alphabet = given === '' ? 'standard' : given;
  if (!ALPHABETS.has(alphabet)) throw fault(`${name}: unsupported encoding format: "${alphabet}"`);
  budget.write(text.length * 2);
  return { text, alphabet };
}
