/** From the template of a set's target to the spec of one variant. */
import { evaluateTemplate } from '../../cel/template.ts';
import type { CelBudget } from '../../cel/work.ts';
import type { FunctionSpec } from '../render/function-runtime.ts';
import type { YamlValue } from '../yaml/edit.ts';
import type {
  Injector,
  MapExpression,
  ObjectMeta,
  PackageVariantSpec,
  TemplateFunction,
  VariantDownstream,
  VariantPipeline,
  VariantTemplate,
  VariantUpstream,
} from './variant-types.ts';

export interface TemplateInput {
  readonly upstream: VariantUpstream;
  readonly upstreamMeta: ObjectMeta & { readonly namespace: string };
  readonly repoDefault: string;
  readonly packageDefault: string;
  /** What `target` is in expressions. */
  readonly target: YamlValue;
  readonly template: VariantTemplate | undefined;
  /** What all expressions of the set may cost together. */
  readonly budget: CelBudget;
  /** The `Repository` of that name in the set's namespace. */
  readonly repositoryNamed: (name: string) => (ObjectMeta & { readonly namespace: string }) | undefined;
}

/** Why a target gives no variant: Porch's words, and the field of the template. */
export interface TemplateFailure {
  readonly ok: false;
  readonly message: string;
  /** Below the target. */
  readonly path: readonly (string | number)[];
  /** What the target asks for; absent where it failed before that was known. */
  readonly downstream?: VariantDownstream;
  /** The repository that it asks for, where that alone is known: nobody knows the repository itself. */
  readonly unknownRepository?: string;
}

type Result = { readonly ok: true; readonly spec: PackageVariantSpec } | TemplateFailure;

/** Stops the rendering of one target; never leaves this file. */
class Stop extends Error {
  readonly path: readonly (string | number)[];
  readonly unknownRepository: string | undefined;

  constructor(path: readonly (string | number)[], message: string, unknownRepository?: string) {
    super(message);
    this.path = path;
    this.unknownRepository = unknownRepository;
  }
}

/** The spec of the variant of one target. Expressions overlay what stands beside them. */
export function renderTemplate(input: TemplateInput): Result {
  let downstream: VariantDownstream | undefined;
  try {
    const spec = render(input, (known) => {
      downstream = known;
    });
    return { ok: true, spec };
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    const { message, path, unknownRepository } = error;
    return {
      ok: false,
      message,
      path,
      ...(downstream && { downstream }),
      ...(unknownRepository !== undefined && { unknownRepository }),
    };
  }
}

/** What expressions see of an object. */
export function shownObject({
  name,
  namespace,
  labels,
  annotations,
}: ObjectMeta & { readonly namespace: string }): YamlValue {
  return { name, namespace, labels, annotations };
}

type Evaluate = (expression: string, path: readonly (string | number)[]) => string;

function render(input: TemplateInput, asksFor: (downstream: VariantDownstream) => void): PackageVariantSpec {
  const { template, repoDefault, packageDefault } = input;
  const upstream = input.upstream;
  if (template === undefined) return { upstream, downstream: { repo: repoDefault, package: packageDefault } };
  const variables: Record<string, YamlValue> = {
    repoDefault,
    packageDefault,
    upstream: shownObject(input.upstreamMeta),
    target: input.target,
  };
  const evaluate: Evaluate = (expression, path) => {
    const answer = evaluateTemplate(expression, variables, input.budget);
    if (answer.ok) return answer.value;
    throw new Stop(path, `${shown(path)}: ${answer.message}`);
  };
  const { downstream, packageContext, pipeline, injectors } = template;
  const repo = place({
    fixed: downstream?.repo,
    expression: downstream?.repoExpr,
    field: 'repoExpr',
    otherwise: repoDefault,
    evaluate,
  });
  if ((downstream?.packageExpr ?? '') === '') {
    asksFor({ repo, package: downstream?.package || packageDefault });
  }
  const repository = input.repositoryNamed(repo);
  if (repository === undefined) {
    throw new Stop(['template', 'downstream'], `repository "${repo}" could not be loaded`, repo);
  }
  // Only now is it known: not for the expression that names it.
  variables['repository'] = shownObject(repository);
  const packagePath = place({
    fixed: downstream?.package,
    expression: downstream?.packageExpr,
    field: 'packageExpr',
    otherwise: packageDefault,
    evaluate,
  });
  asksFor({ repo, package: packagePath });
  const labels = overlaid(template.labels, template.labelExprs, ['template', 'labelExprs'], evaluate);
  const annotations = overlaid(
    template.annotations,
    template.annotationExprs,
    ['template', 'annotationExprs'],
    evaluate,
  );
  const context = packageContext && contextOf(packageContext, evaluate);
  const functions = pipeline && pipelineOf(pipeline, evaluate);
  const chosen = injectors?.map((injector, at) => injectorOf(injector, at, evaluate));
  return {
    upstream,
    downstream: { repo, package: packagePath },
    ...(template.adoptionPolicy !== undefined && { adoptionPolicy: template.adoptionPolicy }),
    ...(template.deletionPolicy !== undefined && { deletionPolicy: template.deletionPolicy }),
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(context && { packageContext: context }),
    ...(functions && { pipeline: functions }),
    ...(chosen !== undefined && chosen.length > 0 && { injectors: chosen }),
  };
}

/** `template.labelExprs[0].valueExpr` */
export function shown(path: readonly (string | number)[]): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1);
}

function place({
  fixed,
  expression,
  field,
  otherwise,
  evaluate,
}: {
  readonly fixed: string | undefined;
  readonly expression: string | undefined;
  readonly field: 'repoExpr' | 'packageExpr';
  readonly otherwise: string;
  readonly evaluate: Evaluate;
}): string {
  const path = ['template', 'downstream', field];
  if ((expression ?? '') !== '' && expression !== undefined) {
    const value = evaluate(expression, path);
    if (value !== '') return value;
    throw new Stop(path, `${shown(path)}: the expression gives an empty name`);
  }
  return fixed === undefined || fixed === '' ? otherwise : fixed;
}

function overlaid(
  fixed: Readonly<Record<string, string>> | undefined,
  expressions: readonly MapExpression[] | undefined,
  path: readonly (string | number)[],
  evaluate: Evaluate,
): Record<string, string> | undefined {
  const result = new Map(Object.entries(fixed ?? {}));
  for (const [at, { key, keyExpr, value, valueExpr }] of (expressions ?? []).entries()) {
    const name = keyExpr === undefined ? (key ?? '') : evaluate(keyExpr, [...path, at, 'keyExpr']);
    result.set(
      name,
      valueExpr === undefined ? (value ?? '') : evaluate(valueExpr, [...path, at, 'valueExpr']),
    );
  }
  return result.size === 0 ? undefined : Object.fromEntries(result);
}

function contextOf(
  context: NonNullable<VariantTemplate['packageContext']>,
  evaluate: Evaluate,
): PackageVariantSpec['packageContext'] {
  const path = ['template', 'packageContext'];
  const data = overlaid(context.data, context.dataExprs, [...path, 'dataExprs'], evaluate);
  const removed = new Set(context.removeKeys ?? []);
  for (const [at, expression] of (context.removeKeyExprs ?? []).entries()) {
    removed.add(evaluate(expression, [...path, 'removeKeyExprs', at]));
  }
  return { ...(data && { data }), ...(removed.size > 0 && { removeKeys: [...removed].toSorted() }) };
}

function pipelineOf(
  pipeline: NonNullable<VariantTemplate['pipeline']>,
  evaluate: Evaluate,
): VariantPipeline | undefined {
  const functionsOf = (list: 'mutators' | 'validators'): readonly FunctionSpec[] | undefined =>
    pipeline[list]?.map((one, at) => functionOf(one, ['template', 'pipeline', list, at], evaluate));
  const [mutators = [], validators = []] = [functionsOf('mutators'), functionsOf('validators')];
  if (mutators.length === 0 && validators.length === 0) return undefined;
  return { ...(mutators.length > 0 && { mutators }), ...(validators.length > 0 && { validators }) };
}

function functionOf(
  { configMapExprs, configMap: fixed, ...spec }: TemplateFunction,
  path: readonly (string | number)[],
  evaluate: Evaluate,
): FunctionSpec {
  const configMap = overlaid(fixed, configMapExprs, [...path, 'configMapExprs'], evaluate);
  return { ...spec, ...(configMap && { configMap }) };
}

function injectorOf(
  { nameExpr, name = '', ...rest }: NonNullable<VariantTemplate['injectors']>[number],
  at: number,
  evaluate: Evaluate,
): Injector {
  const path = ['template', 'injectors', at, 'nameExpr'];
  return { ...rest, name: nameExpr === undefined || nameExpr === '' ? name : evaluate(nameExpr, path) };
}
