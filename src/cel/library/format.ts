/** Named formats of Kubernetes (apiserver cel/library/format.go): what is wrong with a text, if anything. */
import { celFunc, celList, celMethod, type CelFunc } from '@bufbuild/cel';
import type { ReflectMessage } from '@bufbuild/protobuf/reflect';

import { opaque } from '../opaque.ts';
import { none, some } from './optional.ts';
import { DYN, STRING } from './types.ts';
import { readUrl } from './url.ts';

type Check = (text: string) => string[];

const formatType = opaque<Check>('kubernetes.NamedFormat');

export const FORMAT = formatType.desc;

const LABEL = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';
const QUALIFIED = /^(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

function rule(pattern: RegExp, longest: number, message: string): Check {
  return (text) => [
    ...(text.length > longest ? [`must be no more than ${longest} characters`] : []),
    ...(pattern.test(text) ? [] : [message]),
  ];
}

const dnsLabel = rule(
  new RegExp(`^${LABEL}$`),
  63,
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
);
const dnsSubdomain = rule(
  new RegExp(`^${LABEL}(?:\\.${LABEL})*$`),
  253,
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
);
const dns1035 = rule(
  /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/,
  63,
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
);
const labelValue = rule(
  /^(?:(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/,
  63,
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
);

/** Names that a controller completes may end with a dash. */
function prefix(check: Check): Check {
  return (text) => check(text.endsWith('-') ? `${text.slice(0, -1)}a` : text);
}

function qualifiedName(text: string): string[] {
  const parts = text.split('/');
  const name = parts.at(-1) ?? '';
  if (parts.length > 2)
    return ['a qualified name must consist of a name and an optional DNS subdomain prefix'];
  const [space] = parts;
  return [
    ...(parts.length === 2 && space !== undefined
      ? dnsSubdomain(space).map((problems) => `prefix part ${problems}`)
      : []),
    ...(name === '' ? ['name part must be non-empty'] : []),
    ...(name.length > 63 ? ['name part must be no more than 63 characters'] : []),
    ...(QUALIFIED.test(name)
      ? []
      : [
          "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        ]),
  ];
}

function isDate(text: string): boolean {
  const found = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (found === null) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function isMoment(text: string): boolean {
  const found = /^(\d{4}-\d\d-\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/.exec(text);
  return found !== null && isDate(found[1] ?? '') && Number(found[2]) < 24 && Number(found[3]) < 60;
}

function checkThat(holds: (text: string) => boolean, message: string): Check {
  return (text) => (holds(text) ? [] : [message]);
}

const FORMATS: Readonly<Record<string, Check>> = {
  dns1123Label: dnsLabel,
  dns1123Subdomain: dnsSubdomain,
  dns1035Label: dns1035,
  dns1123LabelPrefix: prefix(dnsLabel),
  dns1123SubdomainPrefix: prefix(dnsSubdomain),
  dns1035LabelPrefix: prefix(dns1035),
  labelValue,
  qualifiedName,
  uri: checkThat((text) => readUrl(text) !== undefined, 'invalid URI'),
  uuid: checkThat(
    (text) => /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/.test(text),
    'does not match the UUID format',
  ),
  byte: checkThat(
    (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text),
    'invalid base64',
  ),
  date: checkThat(isDate, 'invalid date'),
  datetime: checkThat(isMoment, 'invalid datetime'),
};

function wrap(name: string, check: Check): ReflectMessage {
  return formatType.wrap(check, name);
}

export const formats: CelFunc[] = [
  ...Object.entries(FORMATS).map(([name, check]) =>
    celFunc(`format.${name}`, [], formatType.type, () => wrap(name, check)),
  ),
  celFunc('format.named', [STRING], DYN, (name) => {
    const check = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
    return check === undefined ? none() : some(wrap(name, check));
  }),
  celMethod('validate', formatType.type, [STRING], DYN, function (text) {
    const check = formatType.unwrap(this);
    const problems = check?.(text) ?? ['not a format'];
    // An empty optional means that there is nothing to say.
    return problems.length === 0 ? none() : some(celList(problems));
  }),
];
