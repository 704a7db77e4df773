import { positional } from '../arguments.ts';
import { fault } from '../fault.ts';
import { toFloat } from '../number.ts';
import { typeOf } from '../value.ts';
import type { Native, Value } from '../value.ts';

/** `math.star`; angles in radians. */
export const MATH: Readonly<Record<string, Native | Value>> = {
  e: Math.E,
  pi: Math.PI,
  tau: 2 * Math.PI,
  phi: (1 + Math.sqrt(5)) / 2,
  inf: Infinity,
  nan: NaN,
  ceil: whole('ceil', Math.ceil),
  floor: whole('floor', Math.floor),
  fabs: float('fabs', Math.abs),
  round: float('round', (x) => (Number.isFinite(x) ? Math.sign(x) * Math.round(Math.abs(x)) : x)),
  exp: float('exp', Math.exp),
  sqrt: float('sqrt', Math.sqrt),
  acos: float('acos', Math.acos),
  asin: float('asin', Math.asin),
  atan: float('atan', Math.atan),
  cos: float('cos', Math.cos),
  sin: float('sin', Math.sin),
  tan: float('tan', Math.tan),
  acosh: float('acosh', Math.acosh),
  asinh: float('asinh', Math.asinh),
  atanh: float('atanh', Math.atanh),
  cosh: float('cosh', Math.cosh),
  sinh: float('sinh', Math.sinh),
  tanh: float('tanh', Math.tanh),
  degrees: float('degrees', (x) => (x * 180) / Math.PI),
  radians: float('radians', (x) => (x * Math.PI) / 180),
  pow: float2('pow', (x, y) => x ** y),
  hypot: float2('hypot', Math.hypot),
  atan2: float2('atan2', Math.atan2),
  mod: float2('mod', (x, y) => x % y),
  copysign: float2('copysign', (x, y) => (y < 0 || Object.is(y, -0) ? -Math.abs(x) : Math.abs(x))),
  log(args, named) {
    positional({ name: 'log', args, named, least: 1, most: 2 });
    const x = numberOf('log', args[0]);
    return args[1] === undefined ? Math.log(x) : Math.log(x) / Math.log(numberOf('log', args[1]));
  },
};

function numberOf(name: string, value: Value | undefined): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return toFloat(value);
  throw fault(`${name}: got ${typeOf(value ?? null)}, want float or int`);
}

function float(name: string, compute: (x: number) => number): Native {
  return (args, named) => {
    positional({ name, args, named, least: 1 });
    return compute(numberOf(name, args[0]));
  };
}

function float2(name: string, compute: (x: number, y: number) => number): Native {
  return (args, named) => {
    positional({ name, args, named, least: 2 });
    return compute(numberOf(name, args[0]), numberOf(name, args[1]));
  };
}

function whole(name: string, round: (x: number) => number): Native {
  return (args, named) => {
    positional({ name, args, named, least: 1 });
    if (typeof args[0] === 'bigint') return args[0];
    const value = round(numberOf(name, args[0]));
    if (!Number.isFinite(value)) throw fault(`${name}: cannot convert float ${String(value)} to integer`);
    return BigInt(value);
  };
}
