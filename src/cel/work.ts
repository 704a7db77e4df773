/**
 * What an evaluation costs, counted while it runs. The evaluator knows no limit of its own, and it is synchronous, so
 * that one counter serves: every turn of a loop and every function whose work grows with what it is given adds to it.
 */
import { celFunc, type CelFunc } from '@bufbuild/cel';

import { BOOL, INT } from './library/types.ts';
import { call, exprOf, int, type Expr } from './syntax.ts';

let left = Infinity;

/** How many steps each part of a loop is worth at each turn: more where what it looks at is large. */
let weight = 1;

/** Told instead of the result of an evaluation that cost too much. */
export class CelCostError extends Error {
  constructor(most: number) {
    super(
      `it takes more than ${most} steps: loops within loops multiply, and so do long patterns over long texts`,
    );
  }
}

/** Counts the work that a function is about to do. @throws Error where there is no more of it */
export function work(steps: number): void {
  left -= Math.max(1, steps);
  if (left < 0) throw new Error('the evaluation costs too much');
}

/** A budget of steps for several evaluations. */
export interface CelBudget {
  readonly most: number;
  used: number;
}

/** A budget of `most` steps, none of which is used. */
export function celBudget(most: number): CelBudget {
  return { most, used: 0 };
}

/**
 * Evaluates within what is left of a budget; each part of a loop takes `each` steps.
 * @throws CelCostError whatever the expression makes of an error within it, such as `true || …`
 */
export function within<Result>(budget: CelBudget, evaluate: () => Result, each = 1): Result {
  const [before, outer] = [left, weight];
  const given = Math.min(before, budget.most - budget.used);
  left = given;
  weight = each;
  try {
    const result = evaluate();
    if (left < 0) throw new CelCostError(budget.most);
    return result;
  } catch (error) {
    if (left < 0) throw new CelCostError(budget.most);
    throw error;
  } finally {
    const used = given - left;
    budget.used += used;
    left = before - used;
    weight = outer;
  }
}

const TURN = '__turn';

/** Counts a turn of a loop; false, which ends the loop, where there is no more left. */
export const turn: CelFunc = celFunc(TURN, [INT], BOOL, (steps) => {
  left -= Math.max(1, Number(steps) * weight);
  return left >= 0;
});

export interface Counted {
  /** The expression, with a count at each turn of each of its loops. */
  readonly root: Expr;
  /** How many loops it has, whatever macro and whatever spelling made them. */
  readonly loops: number;
  /** Parts of the expression. */
  readonly size: number;
}

/** Makes an expression count its turns, each as many steps as the loop has parts. All macros are expanded before. */
export function counted(expr: Expr): Counted {
  const tally = { loops: 0, size: 0 };
  const root = count(expr, tally);
  return { root, ...tally };
}

function count(expr: Expr, tally: { loops: number; size: number }): Expr {
  tally.size += 1;
  const { id, exprKind } = expr;
  const inner = (part: Expr): Expr => count(part, tally);
  switch (exprKind.case) {
    case 'selectExpr': {
      const { value } = exprKind;
      if (value.operand === undefined) return expr;
      return exprOf(id, { ...exprKind, value: { ...value, operand: inner(value.operand) } });
    }
    case 'callExpr': {
      const { value } = exprKind;
      const target = value.target && { target: inner(value.target) };
      return exprOf(id, { ...exprKind, value: { ...value, args: value.args.map(inner), ...target } });
    }
    case 'listExpr': {
      const { value } = exprKind;
      return exprOf(id, { ...exprKind, value: { ...value, elements: value.elements.map(inner) } });
    }
    case 'structExpr': {
      const entries = exprKind.value.entries.map((entry) => ({
        ...entry,
        ...(entry.value && { value: inner(entry.value) }),
        keyKind:
          entry.keyKind.case === 'mapKey'
            ? { ...entry.keyKind, value: inner(entry.keyKind.value) }
            : entry.keyKind,
      }));
      return exprOf(id, { ...exprKind, value: { ...exprKind.value, entries } });
    }
    case 'comprehensionExpr': {
      const { value } = exprKind;
      // `cel.bind` is a loop over nothing.
      if (!isEmptyList(value.iterRange)) tally.loops += 1;
      const outside = {
        ...(value.iterRange && { iterRange: inner(value.iterRange) }),
        ...(value.accuInit && { accuInit: inner(value.accuInit) }),
        ...(value.result && { result: inner(value.result) }),
      };
      const before = tally.size;
      const inside = {
        ...(value.loopCondition && { loopCondition: inner(value.loopCondition) }),
        ...(value.loopStep && { loopStep: inner(value.loopStep) }),
      };
      const steps = call(id, TURN, [int(id, BigInt(tally.size - before))]);
      const loopCondition = call(id, '_&&_', [steps, inside.loopCondition ?? steps]);
      return exprOf(id, { ...exprKind, value: { ...value, ...outside, ...inside, loopCondition } });
    }
    default:
      return expr;
  }
}

function isEmptyList(expr: Expr | undefined): boolean {
  return expr?.exprKind.case === 'listExpr' && expr.exprKind.value.elements.length === 0;
}
