/** The table of built-in functions, in the order of the documentation. */
import { applyReplacements } from './apply-replacements.ts';
import { applySetters } from './apply-setters.ts';
import type { BuiltinFunction } from './builtin-function.ts';
import { createSetters } from './create-setters.ts';
import { deleteAnnotations } from './delete-annotations.ts';
import { ensureNameSubstring } from './ensure-name-substring.ts';
import { genPkgContext } from './gen-pkg-context.ts';
import { kubeconform } from './kubeconform.ts';
import { listSetters } from './list-setters.ts';
import { noOp } from './no-op.ts';
import { removeLocalConfigResources } from './remove-local-config-resources.ts';
import { searchReplace } from './search-replace.ts';
import { setAnnotations } from './set-annotations.ts';
import { setEnforcementAction } from './set-enforcement-action.ts';
import { setImage } from './set-image.ts';
import { setLabels } from './set-labels.ts';
import { setNamespace } from './set-namespace.ts';
import { starlark } from './starlark.ts';
import { upsertResource } from './upsert-resource.ts';

export const BUILTINS: readonly BuiltinFunction[] = [
  applyReplacements,
  applySetters,
  createSetters,
  deleteAnnotations,
  ensureNameSubstring,
  genPkgContext,
  kubeconform,
  listSetters,
  noOp,
  removeLocalConfigResources,
  searchReplace,
  setAnnotations,
  setEnforcementAction,
  setImage,
  setLabels,
  setNamespace,
  starlark,
  upsertResource,
];
