/** Between data as YAML gives it and CEL's values. */
import { isCelList, isCelMap, isCelType, isCelUint, type CelInput, type CelValue } from '@bufbuild/cel';
import { isReflectMessage } from '@bufbuild/protobuf/reflect';

/** Maps become maps, whole numbers integers. Anything that is not data (a function, undefined) becomes null. */
export function toCelInput(value: unknown): CelInput {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return value;
    case 'number':
      return Number.isSafeInteger(value) && !Object.is(value, -0) ? BigInt(value) : value;
    case 'object':
      break;
    default:
      return null;
  }
  if (value === null) return null;
  if (Array.isArray(value)) return value.map(toCelInput);
  return new Map(Object.entries(value).map(([key, inner]) => [key, toCelInput(inner)]));
}

/** Plain data again; what has no plain form becomes its text. */
export function fromCelValue(value: CelValue): unknown {
  if (isCelList(value)) return [...value].map(fromCelValue);
  if (isCelMap(value)) {
    return Object.fromEntries([...value].map(([key, inner]) => [keyText(key), fromCelValue(inner)]));
  }
  if (isCelUint(value)) return value.value;
  if (isCelType(value)) return value.name;
  return isReflectMessage(value) ? value.desc.typeName : value;
}

function keyText(key: unknown): string {
  return isCelUint(key) ? String(key.value) : String(key);
}
