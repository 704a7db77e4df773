/** Whether a PackageVariant can be followed: Porch's checks with Porch's words, and four that Porch lacks. */
import type { FunctionSpec } from '../render/function-runtime.ts';
import type {
  FieldProblem,
  PackageVariant,
  ValidVariant,
  VariantDownstream,
  VariantUpstream,
} from './variant-types.ts';

/** Keys of the package context that belong to kpt. */
export const RESERVED_KEYS: readonly string[] = ['name', 'package-path'];

/** The variant, or everything that is wrong with it, in Porch's order. */
export function checkVariant(
  variant: PackageVariant,
):
  | { readonly ok: true; readonly variant: ValidVariant }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] } {
  const { metadata, spec } = variant;
  const { upstream, downstream } = spec;
  const problems = [
    ...placeProblems('upstream', upstream),
    ...(upstream === undefined ? [] : revisionProblems(upstream)),
    ...placeProblems('downstream', downstream),
    ...policyProblems(variant),
    ...contextProblems(variant),
    ...(spec.injectors ?? []).flatMap(({ name }, at) =>
      name === ''
        ? [problem(['spec', 'injectors', at, 'name'], `spec.injectors[${at}].name must not be empty`)]
        : [],
    ),
    ...pipelineProblems(spec.pipeline?.validators ?? [], 'validators'),
    ...pipelineProblems(spec.pipeline?.mutators ?? [], 'mutators'),
    ...selfProblems(variant),
  ];
  if (problems.length > 0 || upstream === undefined || downstream === undefined)
    return { ok: false, problems };
  return { ok: true, variant: { kind: 'PackageVariant', metadata, spec: { ...spec, upstream, downstream } } };
}

function problem(path: FieldProblem['path'], message: string): FieldProblem {
  return { path, message };
}

function placeProblems(
  side: 'upstream' | 'downstream',
  place: VariantDownstream | undefined,
): FieldProblem[] {
  if (place === undefined) return [problem(['spec', side], `missing required field spec.${side}`)];
  return (['repo', 'package'] as const)
    .filter((field) => place[field] === '')
    .map((field) => problem(['spec', side, field], `missing required field spec.${side}.${field}`));
}

/** Numbers that no published revision can have: 0 is Porch's number of drafts, and -1 alone stands for the newest. */
export function revisionProblems({ revision }: VariantUpstream): FieldProblem[] {
  if (typeof revision !== 'number' || revision >= 1 || revision === -1) return [];
  const message = `spec.upstream.revision ${revision} can never be published: revisions count from 1, and -1 follows the newest`;
  return [problem(['spec', 'upstream', 'revision'], message)];
}

function policyProblems({ spec }: PackageVariant): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (!['', 'adoptNone', 'adoptExisting'].includes(spec.adoptionPolicy ?? '')) {
    problems.push(
      problem(
        ['spec', 'adoptionPolicy'],
        'spec.adoptionPolicy field can only be "adoptNone" or "adoptExisting"',
      ),
    );
  }
  if (!['', 'delete', 'orphan'].includes(spec.deletionPolicy ?? '')) {
    problems.push(
      problem(['spec', 'deletionPolicy'], 'spec.deletionPolicy can only be "orphan" or "delete"'),
    );
  }
  return problems;
}

function contextProblems({ spec: { packageContext } }: PackageVariant): FieldProblem[] {
  const { data = {}, removeKeys = [] } = packageContext ?? {};
  const sorted = Object.fromEntries(Object.entries(data).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return RESERVED_KEYS.flatMap((key) => [
    ...(Object.hasOwn(data, key)
      ? [problem(['spec', 'packageContext', 'data', key], reserved('data', sorted, key))]
      : []),
    ...removeKeys.flatMap((one, at) =>
      one === key
        ? [problem(['spec', 'packageContext', 'removeKeys', at], reserved('removeKeys', removeKeys, key))]
        : [],
    ),
  ]);
}

function reserved(field: string, value: unknown, key: string): string {
  return `spec.packageContext.${field}: Invalid value: ${JSON.stringify(value)}: must not contain the key "${key}"`;
}

function pipelineProblems(
  functions: readonly FunctionSpec[],
  list: 'mutators' | 'validators',
): FieldProblem[] {
  return functions.flatMap(({ image, exec, name }, at) => {
    const path = ['spec', 'pipeline', list, at];
    const place = `spec.pipeline.${list}[${at}]`;
    return [
      ...((image ?? '') === '' && (exec ?? '') === ''
        ? [problem([...path, 'image'], `${place}.image must not be empty`)]
        : []),
      ...(name?.includes('.') === true
        ? [problem([...path, 'name'], `${place}.name must not contain '.'`)]
        : []),
    ];
  });
}

function selfProblems({ spec: { upstream, downstream } }: PackageVariant): FieldProblem[] {
  const same =
    upstream !== undefined &&
    upstream.repo !== '' &&
    upstream.package !== '' &&
    upstream.repo === downstream?.repo &&
    upstream.package === downstream.package;
  return same ? [problem(['spec', 'downstream'], 'spec.downstream must differ from spec.upstream')] : [];
}
