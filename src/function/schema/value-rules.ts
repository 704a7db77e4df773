/** The rules of CRDs about single values: enumerations, formats, patterns, bounds and sizes. */
import type { Bound, ValueRules } from './schema.ts';
import { display, quote } from './wording.ts';

/** What is wrong with the value, in kubeconform's words; alternatives (`anyOf` …) are not looked at. */
export function brokenRules(rules: ValueRules, value: unknown): string[] {
  const broken: string[] = [];
  // Enumerations of maps and lists demand nothing: nobody writes them.
  if (rules.enum !== undefined && !(typeof value === 'object') && !rules.enum.includes(value))
    return [wantOneOf(rules.enum)];
  if (typeof value === 'string') textRules(rules, value, broken);
  else if (typeof value === 'number' || typeof value === 'bigint') numberRules(rules, value, broken);
  else if (Array.isArray(value))
    sizes({ what: 'Items', got: value.length, least: rules.minItems, most: rules.maxItems, broken });
  else if (typeof value === 'object' && value !== null)
    sizes({
      what: 'Properties',
      got: Object.keys(value).length,
      least: rules.minProperties,
      most: rules.maxProperties,
      broken,
    });
  return broken;
}

function wantOneOf(values: readonly unknown[]): string {
  const shown = values.slice(0, 50).map(display).join(', ');
  return values.length === 1 ? `value must be ${shown}` : `value must be one of ${shown}`;
}

function textRules(rules: ValueRules, text: string, broken: string[]): void {
  const { format, minLength, maxLength, pattern } = rules;
  if (format === 'date-time' && !isDateTime(text)) broken.push(`${quote(text)} is not valid date-time`);
  if (minLength !== undefined || maxLength !== undefined)
    sizes({ what: 'Length', got: lengthOf(text), least: minLength, most: maxLength, broken });
  if (pattern === undefined) return;
  const matches = pattern.matches(text);
  if (matches === 'too large')
    broken.push(
      `the pattern ${quote(pattern.source)} is too large to be checked: write it with smaller repetitions`,
    );
  else if (!matches) broken.push(`${quote(text)} does not match pattern ${quote(pattern.source)}`);
}

/** Characters as Go counts them. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** RFC 3339. */
function isDateTime(text: string): boolean {
  const found = text.length > 64 ? null : DATE_TIME.exec(text);
  if (found === null) return false;
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])];
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  return day >= 1 && day <= days;
}

function numberRules(rules: ValueRules, value: number | bigint, broken: string[]): void {
  const { minimum, maximum, multipleOf } = rules;
  if (minimum !== undefined && (value < minimum.value || at(minimum, value)))
    broken.push(`${minimum.exclusive ? 'exclusiveMinimum' : 'minimum'}: got ${value}, want ${minimum.value}`);
  if (maximum !== undefined && (value > maximum.value || at(maximum, value)))
    broken.push(`${maximum.exclusive ? 'exclusiveMaximum' : 'maximum'}: got ${value}, want ${maximum.value}`);
  if (multipleOf !== undefined && !isMultiple(value, multipleOf))
    broken.push(`multipleOf: got ${value}, want ${multipleOf}`);
}

function at(bound: Bound, value: number | bigint): boolean {
  // A bigint is never ===, but may be ==, to a number.
  return bound.exclusive && !(value < bound.value) && !(value > bound.value);
}

function isMultiple(value: number | bigint, of: number): boolean {
  if (typeof value === 'bigint') return !Number.isInteger(of) || value % BigInt(of) === 0n;
  const times = value / of;
  return Math.abs(times - Math.round(times)) <= 1e-9 * Math.max(1, Math.abs(times));
}

function sizes({
  what,
  got,
  least,
  most,
  broken,
}: {
  readonly what: 'Items' | 'Length' | 'Properties';
  readonly got: number;
  readonly least: number | undefined;
  readonly most: number | undefined;
  readonly broken: string[];
}): void {
  if (least !== undefined && got < least) broken.push(`min${what}: got ${got}, want ${least}`);
  if (most !== undefined && got > most) broken.push(`max${what}: got ${got}, want ${most}`);
}
