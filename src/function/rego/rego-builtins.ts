/* eslint-disable unicorn/consistent-function-scoping -- the text of one function is what the child process gets */
type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Arguments in, a value out; undefined where the arguments are none that it takes: then the rule is undefined. */
export type RegoBuiltin = (...args: Json[]) => Json | undefined;

/**
 * The functions of Rego that a compiled module leaves to its host, those of them that need no network, clock, chance
 * or environment. Like all that runs in the child process it must not use anything from outside of itself.
 */
export function regoBuiltins(): Readonly<Record<string, RegoBuiltin>> {
  const crypto = process.getBuiltinModule('node:crypto');

  /** A value as Rego writes it. */
  function written(value: Json): string {
    if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`;
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const entries = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${written(one)}`);
    return `{${entries.join(', ')}}`;
  }

  function shown(value: Json): string {
    if (typeof value === 'number' && Number.isInteger(value)) return String(BigInt(value));
    return typeof value === 'string' ? value : written(value);
  }

  function typeName(value: Json): string {
    if (typeof value !== 'number') return 'string';
    return Number.isInteger(value) ? 'int' : 'float64';
  }

  interface Verb {
    readonly flags: string;
    readonly precision: number | undefined;
    readonly letter: string;
  }

  /** The sign and its digits. */
  function signed(text: string, flags: string): string {
    if (text.startsWith('-')) return text;
    if (flags.includes('+')) return `+${text}`;
    return flags.includes(' ') ? ` ${text}` : text;
  }

  /** Go's exponents have two digits. */
  function exponential(text: string): string {
    return text.replace(/e([+-])(\d)$/, 'e$10$2');
  }

  function formatInteger(value: number, { flags, letter }: Verb): string | undefined {
    if (letter === 'c') return String.fromCodePoint(Math.min(Math.max(value, 0), 0x10_ff_ff));
    if (letter === 'q') return `'${String.fromCodePoint(Math.min(Math.max(value, 0), 0x10_ff_ff))}'`;
    if (letter === 'U') return `U+${value.toString(16).toUpperCase().padStart(4, '0')}`;
    const base = { d: 10, v: 10, b: 2, o: 8, O: 8, x: 16, X: 16 }[letter];
    if (base === undefined) return undefined;
    const digits = BigInt(Math.abs(value)).toString(base);
    const prefix =
      letter === 'O' ? '0o' : flags.includes('#') ? ({ 2: '0b', 8: '0', 16: '0x' }[base] ?? '') : '';
    const text = `${value < 0 ? '-' : ''}${prefix}${digits}`;
    return signed(letter === 'X' ? text.toUpperCase() : text, flags);
  }

  function formatFloat(value: number, { flags, letter, precision }: Verb): string | undefined {
    if (letter === 'f' || letter === 'F') return signed(value.toFixed(Math.min(precision ?? 6, 100)), flags);
    if (letter === 'e' || letter === 'E') {
      const text = exponential(value.toExponential(Math.min(precision ?? 6, 100)));
      return signed(letter === 'E' ? text.toUpperCase() : text, flags);
    }
    if (!['g', 'G', 'v'].includes(letter)) return undefined;
    const exact =
      precision === undefined ? value : Number(value.toPrecision(Math.min(Math.max(precision, 1), 100)));
    const size = Math.abs(exact);
    const short =
      size !== 0 && (size < 1e-4 || size >= (precision === undefined ? 1e21 : 10 ** Math.max(precision, 1)));
    const text = short ? exponential(exact.toExponential()) : String(exact);
    return signed(letter === 'G' ? text.toUpperCase() : text, flags);
  }

  function formatText(value: string, { flags, letter, precision }: Verb): string | undefined {
    const cut = precision === undefined ? value : Array.from(value).slice(0, precision).join('');
    if (letter === 's' || letter === 'v')
      return flags.includes('#') && letter === 'v' ? JSON.stringify(cut) : cut;
    if (letter === 'q') return JSON.stringify(cut);
    if (letter !== 'x' && letter !== 'X') return undefined;
    const hex = Buffer.from(cut).toString('hex');
    return letter === 'X' ? hex.toUpperCase() : hex;
  }

  function formatOne(value: Json, verb: Verb): string {
    if (verb.letter === 'T') return typeName(value);
    const text =
      typeof value !== 'number'
        ? formatText(shown(value), verb)
        : Number.isInteger(value)
          ? formatInteger(value, verb)
          : formatFloat(value, verb);
    return text ?? `%!${verb.letter}(${typeName(value)}=${shown(value)})`;
  }

  function padded(text: string, flags: string, width: number): string {
    if (flags.includes('-')) return text.padEnd(width);
    if (!flags.includes('0')) return text.padStart(width);
    const sign = /^[+-]/.exec(text)?.[0] ?? '';
    return sign + text.slice(sign.length).padStart(width - sign.length, '0');
  }

  const LONGEST = 1_000_000;

  /** As Go's fmt does it: values that are neither numbers nor texts are texts, as Rego writes them. */
  function sprintf(format: Json, values: Json): Json | undefined {
    if (typeof format !== 'string' || !Array.isArray(values)) return undefined;
    const given: readonly Json[] = values;
    let next = 0;
    let length = 0;
    const star = (): number => {
      const value = given[next++];
      return typeof value === 'number' ? value : 0;
    };
    const text = format.replaceAll(
      /%([-+# 0]*)(\*|\d+)?(?:\.(\*|\d*))?(.|$)/gsu,
      (...[, flags = '', wide, precise, letter = '']: (string | undefined)[]) => {
        if (letter === '%') return '%';
        if (letter === '') return '%!(NOVERB)';
        const width = Math.min(wide === '*' ? star() : Number(wide ?? 0), LONGEST);
        const precision = precise === undefined ? undefined : precise === '*' ? star() : Number(precise);
        const value = given[next++];
        if (value === undefined) return `%!${letter}(MISSING)`;
        const one = padded(formatOne(value, { flags, precision, letter }), flags, width);
        length += one.length;
        if (length > LONGEST) throw new Error('sprintf: the text is too long');
        return one;
      },
    );
    const extra = given.slice(next).map((value) => `${typeName(value)}=${shown(value)}`);
    return extra.length === 0 ? text : `${text}%!(EXTRA ${extra.join(', ')})`;
  }

  function affixes(fits: (text: string, affix: string) => boolean): RegoBuiltin {
    const texts = (value: Json | undefined): string[] | undefined => {
      const list: readonly Json[] | undefined = Array.isArray(value)
        ? value
        : value === undefined
          ? undefined
          : [value];
      const found = list?.filter((one): one is string => typeof one === 'string');
      return found?.length === list?.length ? found : undefined;
    };
    return (search, base) => {
      const [all, wanted] = [texts(search), texts(base)];
      return all === undefined || wanted === undefined
        ? undefined
        : all.some((text) => wanted.some((affix) => fits(text, affix)));
    };
  }

  const VERSION =
    /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

  function compareParts(a: string, b: string): number {
    const numbers = /^\d+$/.test(a) && /^\d+$/.test(b);
    if (numbers) return Math.sign(Number(a) - Number(b));
    // Numbers come before words.
    if (/^\d+$/.test(a) !== /^\d+$/.test(b)) return /^\d+$/.test(a) ? -1 : 1;
    return a < b ? -1 : a > b ? 1 : 0;
  }

  function compareVersions(a: Json | undefined, b: Json | undefined): Json | undefined {
    const [left, right] = [a, b].map((one) => (typeof one === 'string' ? VERSION.exec(one) : null));
    if (left === null || right === null || left === undefined || right === undefined) return undefined;
    for (const at of [1, 2, 3]) {
      const order = compareParts(left[at] ?? '', right[at] ?? '');
      if (order !== 0) return order;
    }
    const [before, after] = [left[4], right[4]];
    if (before === undefined || after === undefined)
      return before === after ? 0 : before === undefined ? 1 : -1;
    const [some, others] = [before.split('.'), after.split('.')];
    for (const [at, part] of some.entries()) {
      const other = others[at];
      const order = other === undefined ? 1 : compareParts(part, other);
      if (order !== 0) return order;
    }
    return some.length < others.length ? -1 : 0;
  }

  const UNITS = ['k', 'm', 'g', 't', 'p', 'e'];

  /** `1.5Gi`, `100m`; of bytes also `1.5GiB`, and without difference between small and large letters. */
  function quantity(text: Json | undefined, bytes: boolean): Json | undefined {
    if (typeof text !== 'string') return undefined;
    const found = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)([a-z]*)$/i.exec(text.replaceAll('"', ''));
    if (found === null) return undefined;
    const [, number = '', written_ = ''] = found;
    const unit = bytes ? written_.toLowerCase().replace(/b$/, '') : written_;
    if (!bytes && unit === 'm') return Number(number) / 1000;
    const [letter = '', i = '', ...more] = unit.toLowerCase();
    const power = UNITS.indexOf(letter) + 1;
    if ((unit !== '' && power === 0) || more.length > 0 || (i !== '' && i !== 'i')) return undefined;
    const value = Number(number) * (i === 'i' ? 1024 : 1000) ** power;
    return bytes ? Math.trunc(value) : value;
  }

  const hashed =
    (algorithm: string): RegoBuiltin =>
    (text) =>
      typeof text === 'string' ? crypto.createHash(algorithm).update(text).digest('hex') : undefined;

  return {
    sprintf: (format, values) => sprintf(format ?? null, values ?? null),
    'json.is_valid': (text) => {
      if (typeof text !== 'string') return false;
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    },
    'strings.any_prefix_match': affixes((text, affix) => text.startsWith(affix)),
    'strings.any_suffix_match': affixes((text, affix) => text.endsWith(affix)),
    'strings.count': (text, part) =>
      typeof text !== 'string' || typeof part !== 'string'
        ? undefined
        : part === ''
          ? Array.from(text).length + 1
          : text.split(part).length - 1,
    'semver.is_valid': (text) => typeof text === 'string' && VERSION.test(text),
    'semver.compare': compareVersions,
    'units.parse': (text) => quantity(text, false),
    'units.parse_bytes': (text) => quantity(text, true),
    'hex.encode': (text) => (typeof text === 'string' ? Buffer.from(text).toString('hex') : undefined),
    'hex.decode': (text) =>
      typeof text === 'string' && /^(?:[0-9a-f]{2})*$/i.test(text)
        ? Buffer.from(text, 'hex').toString()
        : undefined,
    'crypto.md5': hashed('md5'),
    'crypto.sha1': hashed('sha1'),
    'crypto.sha256': hashed('sha256'),
    // Notes for whoever debugs a policy: nobody does that here.
    trace: () => true,
    // Nothing of the machine is told.
    'opa.runtime': () => ({}),
  };
}
