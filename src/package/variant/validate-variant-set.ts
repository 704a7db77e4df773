/** Whether a PackageVariantSet can be expanded: Porch's checks with Porch's words, and those that Porch lacks. */
import { selectorProblem } from './label-selector.ts';
import { shown } from './template.ts';
import { RESERVED_KEYS, revisionProblems } from './validate-variant.ts';
import type {
  FieldProblem,
  LabelSelector,
  MapExpression,
  PackageVariantSet,
  SetTarget,
  TemplateFunction,
  TemplateInjector,
  ValidVariantSet,
  VariantTemplate,
} from './variant-types.ts';

type Path = FieldProblem['path'];

/** The set, or everything that is wrong with it, in Porch's order. */
export function checkVariantSet(
  set: PackageVariantSet,
):
  | { readonly ok: true; readonly set: ValidVariantSet }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] } {
  const { upstream, targets } = set.spec;
  const problems = [
    ...upstreamProblems(set),
    ...(targets.length === 0
      ? [problem(['spec', 'targets'], 'must specify at least one item in spec.targets')]
      : []),
    ...targets.flatMap((target, at) => targetProblems(target, ['spec', 'targets', at])),
  ];
  if (problems.length > 0 || upstream === undefined) return { ok: false, problems };
  return { ok: true, set: { ...set, spec: { upstream, targets } } };
}

function problem(path: Path, message: string): FieldProblem {
  return { path, message };
}

function at(path: Path, message: string): FieldProblem {
  return problem(path, `${shown(path)} ${message}`);
}

function upstreamProblems({ spec: { upstream } }: PackageVariantSet): FieldProblem[] {
  if (upstream === undefined) return [at(['spec', 'upstream'], 'is a required field')];
  const { revision, workspaceName = '' } = upstream;
  const isNamed = (revision ?? 0) !== 0 || workspaceName !== '';
  return [
    ...(upstream.package === '' ? [at(['spec', 'upstream', 'package'], 'is a required field')] : []),
    ...(upstream.repo === '' ? [at(['spec', 'upstream', 'repo'], 'is a required field')] : []),
    ...(isNamed
      ? revisionProblems(upstream)
      : [
          problem(
            revision === undefined ? ['spec', 'upstream'] : ['spec', 'upstream', 'revision'],
            'either spec.upstream.revision or spec.upstream.workspaceName must be specified',
          ),
        ]),
  ];
}

function targetProblems(target: SetTarget, path: Path): FieldProblem[] {
  const { repositories, repositorySelector, objectSelector, template } = target;
  const kinds = [repositories, repositorySelector, objectSelector].filter((kind) => kind !== undefined);
  return [
    ...(repositories === undefined ? [] : repositoryProblems(repositories, [...path, 'repositories'])),
    ...(repositorySelector === undefined
      ? []
      : selectorProblems(repositorySelector, [...path, 'repositorySelector'])),
    ...(['apiVersion', 'kind'] as const)
      .filter((field) => objectSelector?.[field] === '')
      // Spelt as Porch does.
      .map((field) =>
        problem([...path, 'objectSelector', field], `${shown(path)}.objectselector.${field} cannot be empty`),
      ),
    ...(objectSelector === undefined ? [] : selectorProblems(objectSelector, [...path, 'objectSelector'])),
    ...(kinds.length === 1
      ? []
      : [at(path, 'must specify one of `repositories`, `repositorySelector`, or `objectSelector`')]),
    ...(template === undefined ? [] : templateProblems(template, [...path, 'template'])),
  ];
}

function repositoryProblems(
  repositories: NonNullable<SetTarget['repositories']>,
  path: Path,
): FieldProblem[] {
  if (repositories.length === 0) return [at(path, 'must not be an empty list if specified')];
  return repositories.flatMap(({ name, packageNames = [] }, one) => [
    ...(name === '' ? [at([...path, one, 'name'], 'cannot be empty')] : []),
    ...packageNames.flatMap((named, two) =>
      named === '' ? [at([...path, one, 'packageNames', two], 'cannot be empty')] : [],
    ),
  ]);
}

function selectorProblems(selector: LabelSelector, path: Path): FieldProblem[] {
  return selector.matchExpressions.flatMap((requirement, one) => {
    const wrong = selectorProblem(requirement);
    return wrong === undefined ? [] : [at([...path, 'matchExpressions', one], wrong)];
  });
}

function templateProblems(template: VariantTemplate, path: Path): FieldProblem[] {
  const { adoptionPolicy, deletionPolicy, downstream, packageContext, injectors, pipeline } = template;
  return [
    ...(adoptionPolicy !== undefined && !['adoptNone', 'adoptExisting'].includes(adoptionPolicy)
      ? [at([...path, 'adoptionPolicy'], 'can only be "adoptNone" or "adoptExisting"')]
      : []),
    ...(deletionPolicy !== undefined && !['delete', 'orphan'].includes(deletionPolicy)
      ? [at([...path, 'deletionPolicy'], 'can only be "orphan" or "delete"')]
      : []),
    ...(['repo', 'package'] as const).flatMap((field) =>
      downstream?.[field] !== undefined && downstream[`${field}Expr`] !== undefined
        ? [
            problem(
              [...path, 'downstream', `${field}Expr`],
              `${shown(path)} may specify only one of \`downstream.${field}\` and \`downstream.${field}Expr\``,
            ),
          ]
        : [],
    ),
    ...mapProblems(template.labelExprs, [...path, 'labelExprs']),
    ...mapProblems(template.annotationExprs, [...path, 'annotationExprs']),
    ...mapProblems(packageContext?.dataExprs, [...path, 'packageContext', 'dataExprs']),
    ...reservedProblems(packageContext, [...path, 'packageContext']),
    ...(injectors ?? []).flatMap((injector, one) => injectorProblems(injector, [...path, 'injectors', one])),
    ...functionProblems(pipeline?.validators, [...path, 'pipeline', 'validators']),
    ...functionProblems(pipeline?.mutators, [...path, 'pipeline', 'mutators']),
  ];
}

function injectorProblems({ name, nameExpr }: TemplateInjector, path: Path): FieldProblem[] {
  if (name !== undefined && nameExpr !== undefined) {
    return [at(path, 'may specify only one of `name` and `nameExpr`')];
  }
  if (name === undefined && nameExpr === undefined) {
    return [at(path, 'must specify either `name` or `nameExpr`')];
  }
  const field = name === undefined ? 'nameExpr' : 'name';
  return (name ?? nameExpr) === '' ? [at([...path, field], 'must not be empty')] : [];
}

/** What Porch says only of the variants that come of it: no downstream could follow such a template. */
function reservedProblems(context: VariantTemplate['packageContext'], path: Path): FieldProblem[] {
  const { data = {}, dataExprs = [], removeKeys = [] } = context ?? {};
  return RESERVED_KEYS.flatMap((reserved) => {
    const places: Path[] = [
      ...(Object.hasOwn(data, reserved) ? [['data', reserved]] : []),
      ...dataExprs.flatMap(({ key }, one) => (key === reserved ? [['dataExprs', one, 'key']] : [])),
      ...removeKeys.flatMap((key, one) => (key === reserved ? [['removeKeys', one]] : [])),
    ];
    return places.map((place) =>
      problem(
        [...path, ...place],
        `${shown([...path, place[0] ?? ''])} must not contain the key "${reserved}"`,
      ),
    );
  });
}

function mapProblems(expressions: readonly MapExpression[] = [], path: Path): FieldProblem[] {
  return expressions.flatMap(({ key, keyExpr, value, valueExpr }, one) => {
    const here = [...path, one];
    return [
      ...(key !== undefined && keyExpr !== undefined
        ? [at(here, 'may specify only one of `key` and `keyExpr`')]
        : []),
      ...((key ?? '') === '' && keyExpr === undefined
        ? [at(here, 'must specify either `key` or `keyExpr`')]
        : []),
      ...(value !== undefined && valueExpr !== undefined
        ? [at(here, 'may specify only one of `value` and `valueExpr`')]
        : []),
    ];
  });
}

function functionProblems(functions: readonly TemplateFunction[] = [], path: Path): FieldProblem[] {
  return functions.flatMap(({ image, name, configMapExprs }, one) => [
    ...((image ?? '') === '' ? [at([...path, one, 'image'], 'must not be empty')] : []),
    ...(name?.includes('.') === true ? [at([...path, one, 'name'], "must not contain '.'")] : []),
    ...mapProblems(configMapExprs, [...path, one, 'configMapExprs']),
  ]);
}
