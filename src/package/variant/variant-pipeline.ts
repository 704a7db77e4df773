import type { FunctionSpec } from '../render/function-runtime.ts';
import { editYaml, readYaml, type YamlEdit, type YamlValue } from '../yaml/edit.ts';
import { asMap } from './injection-points.ts';
import type { VariantPipeline } from './variant-types.ts';

/**
 * The Kptfile's text with the variant's functions before all others, under the names that Porch gives them:
 * `PackageVariant.<variant>.<function>.<index>`. Those that stood there for the variant before are taken out; functions of
 * other variants and of the package stay. Lists that hold nothing any more go, as with Porch.
 */
export function withVariantFunctions(
  kptfile: string,
  variant: string,
  pipeline: VariantPipeline | undefined,
): string {
  const [root] = readYaml(kptfile);
  const present = asMap(asMap(root)?.['pipeline']);
  const lists = (['validators', 'mutators'] as const).map((list) => {
    const listed = pipeline?.[list] ?? [];
    const own = listed.map((one, at) => named(one, variant, at));
    const before = present?.[list];
    const others = Array.isArray(before)
      ? (before as readonly YamlValue[]).filter((one) => !isOwn(asMap(one)?.['name'], variant, listed))
      : [];
    return { list, before, after: [...own, ...others] };
  });
  const rest = Object.keys(present ?? {}).filter((key) => key !== 'mutators' && key !== 'validators');
  const empty = rest.length === 0 && lists.every(({ after }) => after.length === 0);
  if (empty) {
    const stood = asMap(root) !== undefined && Object.hasOwn(asMap(root) ?? {}, 'pipeline');
    return stood ? editYaml(kptfile, [{ op: 'delete', document: 0, path: ['pipeline'] }]) : kptfile;
  }
  const edits = lists.flatMap(({ list, before, after }): YamlEdit[] => {
    const path = ['pipeline', list];
    if (after.length > 0) return [{ op: 'set', document: 0, path, value: after }];
    return before === undefined ? [] : [{ op: 'delete', document: 0, path }];
  });
  return editYaml(kptfile, edits);
}

/** A function as the Kptfile gets it, its fields in kpt's order. */
function named(one: FunctionSpec, variant: string, at: number): YamlValue {
  const { image, exec, tag, configPath, configMap, configRef, selectors, exclude } = one;
  return {
    name: `PackageVariant.${variant}.${one.name ?? ''}.${at}`,
    ...(image !== undefined && { image }),
    ...(exec !== undefined && { exec }),
    ...(tag !== undefined && { tag }),
    ...(configPath !== undefined && { configPath }),
    ...(configMap !== undefined && { configMap }),
    ...(configRef !== undefined && { configRef: { ...configRef } }),
    ...(selectors !== undefined && { selectors: selectors.map((selector) => ({ ...selector })) }),
    ...(exclude !== undefined && { exclude: exclude.map((selector) => ({ ...selector })) }),
  };
}

/**
 * By its four parts: prefix, variant (whose name may have dots), function, number. A function whose own name has dots is
 * known only where the variant lists it, so that one of the variant `a.b` is never taken for one of `a`.
 */
function isOwn(name: YamlValue | undefined, variant: string, functions: readonly FunctionSpec[]): boolean {
  const prefix = `PackageVariant.${variant}.`;
  if (typeof name !== 'string' || !name.startsWith(prefix)) return false;
  const [, own = '', index = ''] = /^(.*)\.([^.]*)$/s.exec(name.slice(prefix.length)) ?? [];
  if (!/^[+-]?\d+$/.test(index)) return false;
  return !own.includes('.') || functions.some((one) => one.name === own);
}
