/**
 * Whether stored objects and clients survive a new version of a CustomResourceDefinition. The rules are those of the
 * Operator Lifecycle Manager's CRD upgrade safety check (operator-controller, docs/concepts/crd-upgrade-safety.md).
 */
import { joined } from '../../text/joined.ts';
import { listItems } from '../list-items.ts';
import { valueAt, listAt, textAt, textsAt, type Fields } from '../plain-values.ts';
import { fileOf } from '../render/bookkeeping.ts';
import type { FunctionSpec, ResultItem } from '../render/function-runtime.ts';
import type { KrmObject } from '../render/krm-object.ts';
import { formatPath } from '../yaml/path.ts';
import { compareSchemas, type SchemaIssue } from './crd-schema.ts';
import { type FieldPath } from './power-resources.ts';

/** Names changes that were looked at: `v1:^.spec.size, ^.spec.mode`, or a check such as `scope`. Counts where it is new. */
const ALLOW_ANNOTATION = 'portico.dev/allow-crd-change';

/** True for a guardrail that asks for this check, as it would ask for a function: `image: crd-safety:v0.1`. */
export function isCrdSafety({ image = '', tag }: FunctionSpec): boolean {
  const name = image.split('/').at(-1) ?? '';
  return /^crd-safety(?::v0\.1(?:\.\d+)?)?$/.test(tag === undefined ? name : `${name}:${tag}`);
}

export interface Issue extends Pick<SchemaIssue, 'keyword' | 'was' | 'is'> {
  readonly severity: 'error' | 'warning';
  /** Version of the API; '' for the definition as a whole. */
  readonly version: string;
  /** The older version, where two that are served are compared. */
  readonly older?: string;
  /** `^` is the object. '' for what is no field. */
  readonly field: string;
  readonly check: string;
  readonly text: string;
  /** Where in the definition. */
  readonly path: FieldPath;
}

/**
 * Judges every definition that both lists hold, and those that are gone. A definition that is new is safe. Results
 * name the resource, the field and, where the resource carries it, its file.
 *
 * @param before resources of the older package
 * @param after resources of the newer package
 */
export function crdSafety(before: readonly KrmObject[], after: readonly KrmObject[]): ResultItem[] {
  const now = new Map(after.flatMap(definitionsOf).map((one) => [textAt(one, 'metadata', 'name'), one]));
  return before.flatMap(definitionsOf).flatMap((old) => {
    const name = textAt(old, 'metadata', 'name');
    const resourceRef = { apiVersion: textAt(old, 'apiVersion'), kind: KIND, name };
    const kept = now.get(name);
    if (kept === undefined) {
      const message = `removed: every ${textAt(old, 'spec', 'names', 'kind')} of the cluster goes with its definition ${name}`;
      return [{ message, severity: 'error' as const, tags: { check: 'removed' } }];
    }
    return issuesOf(old, kept).map((issue): ResultItem => {
      const current = valueAt(kept, ...issue.path);
      return {
        message: joined([issue.version, issue.field, issue.check, issue.text], ': '),
        severity: issue.severity,
        resourceRef,
        field: {
          path: formatPath(issue.path),
          ...(isPlain(current) && { currentValue: current }),
        },
        ...fileOf(kept),
        tags: { check: issue.check },
      };
    });
  });
}

const KIND = 'CustomResourceDefinition';

/** Every definition that both lists hold, with what is wrong with its new form. A definition that is gone has none. */
export function crdUpgrades(
  before: readonly KrmObject[],
  after: readonly KrmObject[],
): { readonly name: string; readonly issues: readonly Issue[] | undefined }[] {
  const now = new Map(after.flatMap(definitionsOf).map((one) => [textAt(one, 'metadata', 'name'), one]));
  return before.flatMap(definitionsOf).map((old) => {
    const name = textAt(old, 'metadata', 'name');
    const kept = now.get(name);
    return { name, issues: kept === undefined ? undefined : issuesOf(old, kept) };
  });
}

/** The definition, or those that a list holds. */
function definitionsOf(one: KrmObject): Fields[] {
  return isDefinition(one) ? [one] : (listItems(one) ?? []).flatMap((item) => definitionsOf({ ...item }));
}

function isDefinition(one: Fields): boolean {
  return one['kind'] === KIND && textAt(one, 'apiVersion').startsWith('apiextensions.k8s.io/');
}

function issuesOf(old: Fields, now: Fields): Issue[] {
  const allowed = newlyAllowed(old, now);
  const found = [...wholeIssues(old, now), ...versionIssues(old, now), ...servedIssues(old, now)];
  return found.filter(
    ({ version, field, check }) =>
      !allowed.has(`${version}:${field}`) && !allowed.has(field === '' ? check : field),
  );
}

/** The annotation speaks of the change that brings it: what stood there before allows nothing any more. */
function newlyAllowed(old: Fields, now: Fields): Set<string> {
  const before = new Set(allowedWords(old));
  return new Set(allowedWords(now).filter((word) => !before.has(word)));
}

function allowedWords(one: Fields): string[] {
  return textAt(one, 'metadata', 'annotations', ALLOW_ANNOTATION)
    .split(/[\s,]+/)
    .filter((word) => word !== '');
}

function wholeIssues(old: Fields, now: Fields): Issue[] {
  const issues: Issue[] = [];
  for (const [check, path] of [
    ['scope', ['spec', 'scope']],
    ['group', ['spec', 'group']],
    ['kind', ['spec', 'names', 'kind']],
    ['plural', ['spec', 'names', 'plural']],
  ] as const) {
    const [was, is] = [textAt(old, ...path), textAt(now, ...path)];
    if (was === is) continue;
    const text = `changed from ${JSON.stringify(was)} to ${JSON.stringify(is)}`;
    issues.push({ severity: 'error', version: '', field: '', check, text, path, was, is });
  }
  const versions = new Map(versionsOf(now).map((version) => [version.name, version]));
  // A definition that was read from a cluster says in which versions objects may be stored.
  const stored = new Set(textsAt(old, 'status', 'storedVersions'));
  for (const { name, served, storage } of versionsOf(old)) {
    const kept = versions.get(name);
    const path: FieldPath = ['spec', 'versions', ...(kept === undefined ? [] : [kept.index])];
    const say = (severity: Issue['severity'], check: string, text: string): void => {
      issues.push({ severity, version: '', field: '', check, text, path });
    };
    if (kept === undefined) {
      if (storage || stored.has(name)) {
        say('error', 'storedVersionRemoved', `objects are stored as ${name}, which was removed`);
      } else if (served) say('error', 'servedVersionRemoved', `clients that use ${name} stop working`);
      continue;
    }
    if (served && !kept.served) say('error', 'servedVersionRemoved', `${name} is no longer served`);
    if (storage && !kept.storage) {
      say('warning', 'storageVersion', `objects are stored as ${name} until they are migrated`);
    }
  }
  return issues;
}

function versionIssues(old: Fields, now: Fields): Issue[] {
  const before = new Map(versionsOf(old).map((version) => [version.name, version]));
  return versionsOf(now).flatMap(({ name, index, schema }) => {
    const was = before.get(name);
    return was === undefined
      ? []
      : compareSchemas(was.schema, schema).map((issue) => placed(issue, name, index));
  });
}

/** Without conversion an object is read through every served version, so these must agree; old disagreements stay as they are. */
function servedIssues(old: Fields, now: Fields): Issue[] {
  const strategy = textAt(now, 'spec', 'conversion', 'strategy');
  if (strategy !== '' && strategy !== 'None') return [];
  const known = new Set(pairIssues(old).map(identity));
  return pairIssues(now).filter((issue) => !known.has(identity(issue)));
}

function pairIssues(one: Fields): Issue[] {
  const served = versionsOf(one)
    .filter(({ served: is }) => is)
    .toSorted((x, y) => byAge(x.name, y.name));
  return served.flatMap((older, at_) =>
    served.slice(at_ + 1).flatMap(({ name, index, schema }) =>
      compareSchemas(older.schema, schema).map((issue) => {
        const found = placed(issue, `${older.name} to ${name}`, index);
        const text = `${found.text} (both versions are served, without conversion)`;
        return { ...found, text, older: older.name };
      }),
    ),
  );
}

function identity({ version, field, check, text }: Issue): string {
  return JSON.stringify([version, field, check, text]);
}

function placed({ path, ...issue }: SchemaIssue, version: string, index: number): Issue {
  const base = ['spec', 'versions', index, 'schema', 'openAPIV3Schema'];
  return { ...issue, severity: 'error', version, path: [...base, ...path] };
}

interface Version {
  readonly name: string;
  readonly index: number;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema: unknown;
}

function versionsOf(one: Fields): Version[] {
  return listAt(one, 'spec', 'versions').map((version, index) => ({
    name: textAt(version, 'name'),
    index,
    served: version['served'] === true,
    storage: version['storage'] === true,
    schema: valueAt(version, 'schema', 'openAPIV3Schema'),
  }));
}

/** Kubernetes' order of API versions turned round: v1alpha1, v1beta1, v1, v2. */
function byAge(x: string, y: string): number {
  const [left, right] = [ageOf(x), ageOf(y)];
  for (const [at_, part] of left.entries()) {
    const order = part - (right[at_] ?? 0);
    if (order !== 0) return order;
  }
  return x < y ? -1 : 1;
}

function ageOf(name: string): [stage: number, major: number, minor: number] {
  const found = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(name);
  if (found === null) return [-1, 0, 0];
  const stage = found[2] === 'alpha' ? 0 : found[2] === 'beta' ? 1 : 2;
  return [stage, Number(found[1]), Number(found[3] ?? 0)];
}

function isPlain(value: unknown): boolean {
  return value !== undefined && (value === null || typeof value !== 'object');
}
