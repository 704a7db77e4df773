/**
 * The types that a MutatingAdmissionPolicy builds its changes of: `Object`, `Object.spec` and so on, named after the
 * field that they fill, and `JSONPatch`. They become maps.
 * Source: Kubernetes' documentation of MutatingAdmissionPolicy, "ApplyConfiguration" and "JSONPatch".
 */
import { SUGAR } from './desugar.ts';
import type { NameMistake } from './names.ts';
import { call, exprOf, type Expr, textOf } from './syntax.ts';

const PATCH_FIELDS = ['op', 'path', 'from', 'value'];

/** Replaces what is built by maps; names of types that do not fit are mistakes. */
export function withObjects(
  root: Expr,
  builds: 'apply' | 'patch' | undefined,
): { readonly root: Expr; readonly mistakes: readonly NameMistake[] } {
  const mistakes: NameMistake[] = [];

  function visit(expr: Expr): Expr {
    const { id, exprKind } = expr;
    switch (exprKind.case) {
      case 'selectExpr': {
        const { value } = exprKind;
        return value.operand === undefined
          ? expr
          : exprOf(id, { ...exprKind, value: { ...value, operand: visit(value.operand) } });
      }
      case 'callExpr': {
        const { value } = exprKind;
        const target = value.target && { target: visit(value.target) };
        return exprOf(id, { ...exprKind, value: { ...value, args: value.args.map(visit), ...target } });
      }
      case 'listExpr': {
        const { value } = exprKind;
        return exprOf(id, { ...exprKind, value: { ...value, elements: value.elements.map(visit) } });
      }
      case 'comprehensionExpr': {
        const { value } = exprKind;
        const parts = {
          ...(value.iterRange && { iterRange: visit(value.iterRange) }),
          ...(value.accuInit && { accuInit: visit(value.accuInit) }),
          ...(value.loopCondition && { loopCondition: visit(value.loopCondition) }),
          ...(value.loopStep && { loopStep: visit(value.loopStep) }),
          ...(value.result && { result: visit(value.result) }),
        };
        return exprOf(id, { ...exprKind, value: { ...value, ...parts } });
      }
      case 'structExpr':
        return build(expr);
      default:
        return expr;
    }
  }

  function build(expr: Expr): Expr {
    const { id, exprKind } = expr;
    if (exprKind.case !== 'structExpr') return expr;
    const { value } = exprKind;
    const { messageName: type } = value;
    const known = builds !== undefined && isBuilt(type, builds);
    if (type !== '' && !known) {
      const message =
        builds === undefined
          ? `objects of the type ${type} cannot be built here`
          : `there is no type ${type}; there are Object, Object.<field> and, in a JSON patch, JSONPatch`;
      mistakes.push({ id, message });
      return expr;
    }
    const entries = value.entries.map((entry) => {
      const inner = entry.value && { value: visit(entry.value) };
      if (entry.keyKind.case === 'mapKey')
        return { ...entry, ...inner, keyKind: { ...entry.keyKind, value: visit(entry.keyKind.value) } };
      if (entry.keyKind.case !== 'fieldKey') return { ...entry, ...inner };
      const optional = entry.keyKind.value.startsWith(SUGAR.field);
      const field = fieldName(optional ? entry.keyKind.value.slice(SUGAR.field.length) : entry.keyKind.value);
      if (type === 'JSONPatch' && !PATCH_FIELDS.includes(field))
        mistakes.push({ id, message: `JSONPatch has no field ${field}; it has ${PATCH_FIELDS.join(', ')}` });
      if (entry.value !== undefined && type !== 'JSONPatch') checkType(entry.value, `${type}.${field}`);
      const key = textOf(id, field);
      return {
        ...entry,
        ...inner,
        keyKind: { case: 'mapKey' as const, value: optional ? call(id, SUGAR.key, [key]) : key },
      };
    });
    return exprOf(id, { ...exprKind, value: { ...value, messageName: '', entries } });
  }

  /** Kubernetes names the type of a field, and of the items of a list, after the path to it. */
  function checkType({ id, exprKind }: Expr, wanted: string): void {
    if (exprKind.case === 'listExpr') {
      for (const element of exprKind.value.elements) checkType(element, wanted);
    } else if (exprKind.case === 'structExpr' && exprKind.value.messageName !== '') {
      const { messageName: type } = exprKind.value;
      if (type !== wanted) mistakes.push({ id, message: `the type here is ${wanted}, not ${type}` });
    }
  }

  return { root: visit(root), mistakes };
}

function isBuilt(type: string, builds: 'apply' | 'patch'): boolean {
  return type === 'Object' || type.startsWith('Object.') || (type === 'JSONPatch' && builds === 'patch');
}

/** Kubernetes' spelling of names that CEL's grammar does not take. */
function fieldName(written: string): string {
  const plain = written
    .replaceAll('__underscores__', '\u0000')
    .replaceAll('__dot__', '.')
    .replaceAll('__dash__', '-')
    .replaceAll('__slash__', '/')
    .replaceAll('\u0000', '__');
  return /^__([a-z]+)__$/.exec(plain)?.[1] ?? plain;
}
