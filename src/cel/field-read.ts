/** Where to show that an expression is false: the field of the object that it reads. */
import { SUGAR } from './desugar.ts';
import type { Expr } from './syntax.ts';

/**
 * The longest path that all reads of `object` share, such as `spec.replicas`; empty where they share none. The
 * kind, the API version and the names, by which expressions choose what they are about, do not count beside others.
 */
export function fieldRead(root: Expr): readonly string[] {
  const all: string[][] = [];
  collect(root, all);
  const telling = all.filter((path) => !ABOUT.has(path.join('.')) && path.length > 0);
  const paths = telling.length > 0 ? telling : all;
  const [first, ...rest] = paths;
  if (first === undefined) return [];
  let length = first.length;
  for (const path of rest) {
    let same = 0;
    while (same < length && path[same] === first[same]) same++;
    length = same;
  }
  return first.slice(0, length);
}

const ABOUT = new Set(['kind', 'apiVersion', 'metadata.name', 'metadata.namespace']);

/** Reads of `object.a.b`, the longest of each chain. */
function collect(expr: Expr | undefined, all: string[][]): void {
  if (expr === undefined) return;
  const path = pathOf(expr);
  if (path !== undefined) {
    all.push(path);
    return;
  }
  const { exprKind } = expr;
  switch (exprKind.case) {
    case 'selectExpr':
      return collect(exprKind.value.operand, all);
    case 'callExpr':
      collect(exprKind.value.target, all);
      for (const arg of exprKind.value.args) collect(arg, all);
      return;
    case 'listExpr':
      for (const element of exprKind.value.elements) collect(element, all);
      return;
    case 'structExpr':
      for (const { value } of exprKind.value.entries) collect(value, all);
      return;
    case 'comprehensionExpr': {
      const { iterRange, accuInit, loopStep, result } = exprKind.value;
      for (const part of [iterRange, accuInit, loopStep, result]) collect(part, all);
    }
  }
}

function pathOf({ exprKind }: Expr): string[] | undefined {
  if (exprKind.case === 'identExpr') return exprKind.value.name === 'object' ? [] : undefined;
  if (exprKind.case === 'selectExpr') {
    const above = exprKind.value.operand && pathOf(exprKind.value.operand);
    return above && [...above, exprKind.value.field];
  }
  if (exprKind.case !== 'callExpr') return undefined;
  const { function: name, target, args } = exprKind.value;
  const [operand, key] = name === '_[_]' ? args : [target, args[0]];
  if (name !== '_[_]' && name !== SUGAR.select && name !== SUGAR.index) return undefined;
  const constant = key?.exprKind.case === 'constExpr' ? key.exprKind.value.constantKind : undefined;
  const above = operand && pathOf(operand);
  if (above === undefined || constant === undefined) return undefined;
  if (constant.case === 'stringValue') return [...above, constant.value];
  return constant.case === 'int64Value' ? [...above, String(constant.value)] : undefined;
}

/** The part of a path that the resource has. */
export function trimPath(path: readonly string[], object: Readonly<Record<string, unknown>> | null): string {
  const kept: string[] = [];
  let here: unknown = object;
  for (const part of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, part)) break;
    here = (here as Record<string, unknown>)[part];
    kept.push(part);
  }
  return kept.join('.');
}
