/** kpt's own builtins/gen-pkg-context (pkg/lib/builtins/pkg_context.go). */
import { PACKAGE_PATH, annotationOf, ensureMap, pathOf, setPlace } from '../../package/render/bookkeeping.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import type { BuiltinFunction } from './builtin-function.ts';
import { failure, kindOf, LOCAL_CONFIG, nameOf } from './krm.ts';
import type { BuiltinInput, BuiltinOutput } from './krm.ts';

export const genPkgContext: BuiltinFunction = {
  name: 'builtins/gen-pkg-context',
  versions: [{ major: 0, minor: 1, patch: 0, run }],
  type: 'mutator',
  summary: "makes `package-context.yaml` with the package's name",
  config: ['none'],
  fields: 'the ConfigMap kptfile.kpt.dev',
  idempotent: 'yes',
};

/** Replaces the package's ConfigMap `kptfile.kpt.dev` by one that holds the package's name. */
function run(input: BuiltinInput): BuiltinOutput {
  const isRoot = (item: KrmObject): boolean =>
    (annotationOf(item, PACKAGE_PATH) ?? '.') === rootOf(input.items);
  const kptfile = input.items.find((item) => kindOf(item) === 'Kptfile' && isRoot(item));
  if (kptfile === undefined)
    return failure([{ message: 'no Kptfile among the resources', severity: 'error' }]);
  const name = nameOf(kptfile);
  const isContext = (item: KrmObject): boolean =>
    kindOf(item) === 'ConfigMap' && nameOf(item) === 'kptfile.kpt.dev' && isRoot(item);
  const old = input.items.find((item) => isContext(item) && pathOf(item) === 'package-context.yaml');
  const made: KrmObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kptfile.kpt.dev', annotations: { [LOCAL_CONFIG]: 'true' } },
    data: { name },
  };
  setPlace(made, { package: rootOf(input.items), path: 'package-context.yaml', index: 0 });
  if (old !== undefined) {
    // What is there is edited, so that its comments stay.
    ensureMap(ensureMap(old, 'metadata'), 'annotations')[LOCAL_CONFIG] = 'true';
    old['data'] = { name };
    return { items: input.items.filter((item) => item === old || !isContext(item)), results: [result] };
  }
  return { items: [...input.items.filter((item) => !isContext(item)), made], results: [result] };
}

const result = {
  message: 'generated package context',
  severity: 'info',
  file: { path: 'package-context.yaml' },
} as const;

/** The shortest package path is the package that runs the function. */
function rootOf(items: readonly KrmObject[]): string {
  const dirs = items.map((item) => annotationOf(item, PACKAGE_PATH) ?? '.');
  if (dirs.includes('.')) return '.';
  return dirs.reduce((shortest, dir) => (dir.length < shortest.length ? dir : shortest), dirs[0] ?? '.');
}
