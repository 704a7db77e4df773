/** The libraries that scripts can load. */
import { fault } from '../fault.ts';
import type { Value } from '../value.ts';
import { Builtin, Module } from '../value.ts';
import type { Native } from '../value.ts';
import { BASE64 } from './base64.ts';
import { CSV } from './csv.ts';
import { HASH } from './hash.ts';
import { JSON_LIBRARY } from './json.ts';
import { KRMFN } from './krmfn.ts';
import { MATH } from './math.ts';
import { RE } from './re.ts';
import { YAML } from './yaml.ts';

type Members = Readonly<Record<string, Native | Value>>;

const MODULES: Readonly<Record<string, readonly [string, Members]>> = {
  'krmfn.star': ['krmfn', KRMFN],
  'encoding/base64.star': ['base64', BASE64],
  'encoding/csv.star': ['csv', CSV],
  'encoding/json.star': ['json', JSON_LIBRARY],
  'encoding/yaml.star': ['yaml', YAML],
  'hash.star': ['hash', HASH],
  'math.star': ['math', MATH],
  're.star': ['re', RE],
};

/** Libraries of upstream that can be loaded, so that a script which only names them runs, but not used. */
const ABSENT: Readonly<Record<string, readonly [string, string]>> = {
  'bsoup.star': ['bsoup', 'reading HTML is not built in'],
  'geo.star': ['geo', 'geometry is not built in'],
  'html.star': ['html', 'reading HTML is not built in'],
  'http.star': ['http', 'functions have no network'],
  'time.star': ['time', 'functions have no clock'],
  'xlsx.star': ['xlsx', 'reading workbooks is not built in'],
};

const LIBRARIES: ReadonlyMap<string, ReadonlyMap<string, Value>> = new Map<
  string,
  ReadonlyMap<string, Value>
>([
  ...Object.entries(MODULES).map(([file, [name, members]]) => [file, moduleOf(name, members)] as const),
  ...Object.entries(ABSENT).map(
    ([file, [name, why]]) => [file, new Map([[name, new Module(name, new Map(), 'module', why)]])] as const,
  ),
  ['zipfile.star', new Map([['ZipFile', new Builtin('ZipFile', refuseZip)]])],
]);

/** The names of a library; undefined where there is none of that name. */
export function loadLibrary(file: string): ReadonlyMap<string, Value> | undefined {
  return LIBRARIES.get(file);
}

function moduleOf(name: string, members: Members): ReadonlyMap<string, Value> {
  const values = Object.entries(members).map(([key, member]): [string, Value] => [
    key,
    typeof member === 'function' ? new Builtin(key, member) : member,
  ]);
  return new Map([[name, new Module(name, new Map(values))]]);
}

function refuseZip(): never {
  throw fault('ZipFile is not available here: reading archives is not built in');
}
