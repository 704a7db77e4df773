/**
 * PackageVariant and PackageVariantSet as Porch defines them (config.porch.kpt.dev), and the repository documents that
 * their names resolve through. Values, checked by nobody yet: validate-variant.ts and validate-variant-set.ts do that.
 */
import type { FunctionSpec } from '../render/function-runtime.ts';
import type { YamlValue } from '../yaml/edit.ts';

export const VARIANT_GROUP = 'config.porch.kpt.dev';

export interface ObjectMeta {
  readonly name: string;
  /** Absent: that of whoever looks. */
  readonly namespace?: string;
  readonly uid?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface VariantUpstream {
  readonly repo: string;
  readonly package: string;
  /** Porch's integer; -1 is the package as it stands on the branch. A text is a SemVer revision. */
  readonly revision?: number | string;
  readonly workspaceName?: string;
}

export interface VariantDownstream {
  readonly repo: string;
  readonly package: string;
}

export interface PackageContext {
  readonly data?: Readonly<Record<string, string>>;
  readonly removeKeys?: readonly string[];
}

export interface VariantPipeline {
  readonly mutators?: readonly FunctionSpec[];
  readonly validators?: readonly FunctionSpec[];
}

/** A `group` of '' is the core group; an absent field matches anything. */
export interface Injector {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly name: string;
}

export interface PackageVariantSpec {
  readonly upstream?: VariantUpstream;
  readonly downstream?: VariantDownstream;
  /** '' and absence mean `adoptNone`. */
  readonly adoptionPolicy?: string;
  /** '' and absence mean `delete`. */
  readonly deletionPolicy?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly packageContext?: PackageContext;
  readonly pipeline?: VariantPipeline;
  readonly injectors?: readonly Injector[];
}

export interface PackageVariant {
  readonly kind: 'PackageVariant';
  readonly metadata: ObjectMeta;
  readonly spec: PackageVariantSpec;
}

/** A variant that validation found nothing wrong with. */
export interface ValidVariant extends PackageVariant {
  readonly spec: PackageVariantSpec & {
    readonly upstream: VariantUpstream;
    readonly downstream: VariantDownstream;
  };
}

export interface LabelSelector {
  readonly matchLabels: Readonly<Record<string, string>>;
  readonly matchExpressions: readonly SelectorRequirement[];
}

export interface SelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

export interface RepositoryTarget {
  readonly name: string;
  readonly packageNames?: readonly string[];
}

/** `packageNames` stood in Porch's design and never in its API. */
export interface RepositorySelector extends LabelSelector {
  readonly packageNames?: readonly string[];
}

export interface ObjectSelector extends LabelSelector {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name?: string;
}

export interface SetTarget {
  readonly repositories?: readonly RepositoryTarget[];
  readonly repositorySelector?: RepositorySelector;
  readonly objectSelector?: ObjectSelector;
  readonly template?: VariantTemplate;
  /** How v1alpha1 names things: from fixed texts or from fields of the selected object. */
  readonly naming?: TargetNaming;
}

export interface ValueOrField {
  readonly value?: string;
  readonly fromField?: string;
}

export interface TargetNaming {
  readonly repo?: ValueOrField;
  readonly packageBase?: ValueOrField;
  readonly packagePrefix?: ValueOrField;
  readonly packageSuffix?: ValueOrField;
}

export interface MapExpression {
  readonly key?: string;
  readonly keyExpr?: string;
  readonly value?: string;
  readonly valueExpr?: string;
}

export interface TemplateFunction extends FunctionSpec {
  readonly configMapExprs?: readonly MapExpression[];
}

export interface TemplateInjector {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly nameExpr?: string;
}

export interface VariantTemplate {
  readonly downstream?: {
    readonly repo?: string;
    readonly repoExpr?: string;
    readonly package?: string;
    readonly packageExpr?: string;
  };
  readonly adoptionPolicy?: string;
  readonly deletionPolicy?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly labelExprs?: readonly MapExpression[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly annotationExprs?: readonly MapExpression[];
  readonly packageContext?: PackageContext & {
    readonly dataExprs?: readonly MapExpression[];
    readonly removeKeyExprs?: readonly string[];
  };
  readonly pipeline?: {
    readonly mutators?: readonly TemplateFunction[];
    readonly validators?: readonly TemplateFunction[];
  };
  readonly injectors?: readonly TemplateInjector[];
}

export interface PackageVariantSet {
  readonly kind: 'PackageVariantSet';
  readonly version: 'v1alpha1' | 'v1alpha2';
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly upstream?: VariantUpstream;
    readonly targets: readonly SetTarget[];
  };
}

export interface ValidVariantSet extends PackageVariantSet {
  readonly spec: { readonly upstream: VariantUpstream; readonly targets: readonly SetTarget[] };
}

/** Porch's `Repository`: a name for a git repository, with the labels that selectors match. */
export interface RepositoryDocument {
  readonly kind: 'Repository';
  readonly metadata: ObjectMeta;
  /** Address of the git repository; '' where the document gives none. */
  readonly repo: string;
  readonly branch?: string;
  readonly directory?: string;
}

/** Any other KRM object that selectors and injectors look at. */
export interface InventoryObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly value: Readonly<Record<string, YamlValue>>;
}

/** Something wrong at a place of a document. */
export interface FieldProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Namespace of an object, where the document that looks at it stands in `own`. */
export function namespaceOf(meta: Pick<ObjectMeta, 'namespace'>, own = 'default'): string {
  return meta.namespace ?? own;
}
