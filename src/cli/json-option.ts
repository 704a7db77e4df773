import type { Option } from './verb.ts';

export const JSON_OPTION: Option = { name: 'json', help: 'print one JSON document on stdout' };
