/** Names that operator-controller gives to what it makes: stable as long as what they stand for stays the same. */
import { createHash } from 'node:crypto';

import type { YamlValue } from '../package/yaml/edit.ts';
import type { Permission } from './csv.ts';
import { goJson } from './go-json.ts';
import type { Fields } from './manifest.ts';

/** Characters of a name, a DNS label (RFC 1123). */
const MAX_LENGTH = 63;

/** `base-suffix`, with as much of the base cut off as makes it fit a label. */
export function joinedName(base: string, suffix: string): string {
  const fits = base.length + suffix.length <= MAX_LENGTH;
  return `${fits ? base : base.slice(0, MAX_LENGTH - suffix.length - 1)}-${suffix}`;
}

/** The name of the roles for a permission, made of what it grants. */
export function permissionName(csvName: string, permission: Permission): string {
  const base = `${csvName}-${permission.serviceAccountName === '' ? 'default' : permission.serviceAccountName}`;
  const rules = permission.rules === undefined ? null : permission.rules.map(ruleFields);
  const text = goJson({ serviceAccountName: permission.serviceAccountName, rules }, false);
  return joinedName(base, base36(createHash('sha224').update(`${text}\n`).digest('hex')));
}

/** In the order of Go's struct, which leaves out what is empty. */
function ruleFields(rule: Fields): Fields {
  const named = (field: string): Record<string, YamlValue> => {
    const value = rule[field] ?? null;
    return value === null || (Array.isArray(value) && value.length === 0) ? {} : { [field]: value };
  };
  return {
    verbs: rule['verbs'] ?? null,
    ...named('apiGroups'),
    ...named('resources'),
    ...named('resourceNames'),
    ...named('nonResourceURLs'),
  };
}

function base36(hex: string): string {
  return BigInt(`0x${hex}`).toString(36);
}
