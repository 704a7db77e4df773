import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';

import { PorticoError } from '../error.ts';
import { appliedNode } from '../package/applied/applied-value.ts';
import { differencesIn } from '../package/applied/differences.ts';
import type { PackageFiles } from '../package/package.ts';
import { crdUpgrades } from '../package/power/crd-safety.ts';
import { issueWords } from '../package/power/crd-words.ts';
import type { KrmObject } from '../package/render/krm-object.ts';
import { readFileOf } from '../package/render/read-resources.ts';
import { EXIT } from './exit-code.ts';
import { readFolder } from './folder.ts';
import { reasonOf } from './system-error.ts';
import type { Call } from './verb.ts';

/** Changes that are told, but do not fail: the Operator Lifecycle Manager lets them pass. */
const PASSED_BY = new Set(['servedVersionRemoved']);

/** `portico crd-safety OLD NEW`: whether objects and clients survive new versions of custom resource definitions. */
export async function crdSafetyVerb(call: Call): Promise<number> {
  const { terminal } = call;
  const [before = [], after = []] = call.positionals.map((typed) => resourcesIn(call, typed));
  const errors: string[] = [];
  const warnings: string[] = [];
  for (const { name, issues } of crdUpgrades(before, after)) {
    const of = `validating upgrade for CRD ${JSON.stringify(name)}`;
    if (issues === undefined) warnings.push(`${of}: removed, which deletes all its objects`);
    for (const issue of issues ?? []) {
      const passes = issue.severity === 'warning' || PASSED_BY.has(issue.check);
      for (const text of issueWords(name, issue)) (passes ? warnings : errors).push(`${of}: ${text}`);
    }
  }
  for (const text of errors) terminal.say(`${terminal.style('red', 'error:', 'stderr')} ${text}`);
  for (const text of warnings) terminal.warn(text);
  if (terminal.json) terminal.document({ errors, warnings });
  else if (errors.length === 0) terminal.print('The upgrade is safe.');
  return errors.length === 0 ? EXIT.ok : EXIT.failed;
}

/** Everything in a file, or in a directory with all below it. */
function resourcesIn(call: Call, typed: string): KrmObject[] {
  const path = call.path(typed);
  const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const files: PackageFiles = isDirectory
    ? readFolder(path, { warn: call.terminal.warn })
    : new Map([[basename(path), { mode: '100644', bytes: readOne(path, typed) }]]);
  return [...files]
    .filter(([file]) => !isDirectory || /\.(?:ya?ml|json)$/.test(file))
    .flatMap(([file, { bytes }]) => appliedIn(file, bytes));
}

/** A file's objects as a cluster gets them. */
function appliedIn(file: string, bytes: Uint8Array): KrmObject[] {
  const { yaml, documents } = readFileOf(file, bytes, { resourcesOnly: true });
  const [difference] = differencesIn(yaml);
  if (difference !== undefined) {
    const { line, what, hint } = difference;
    throw new PorticoError('CRD_UNREADABLE', `${file}:${line}: the file cannot be judged, because ${what}`, {
      blame: 'user',
      hint,
    });
  }
  return documents.map(({ root }) => appliedNode(root) as KrmObject);
}

function readOne(path: string, typed: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new PorticoError('CRD_UNREADABLE', `${typed} cannot be read: ${reasonOf(cause)}`, {
      blame: 'user',
      cause,
      hint: 'Name a file or a directory with custom resource definitions.',
    });
  }
}
