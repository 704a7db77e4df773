/**
 * Macros that the parser does not expand: `cel.bind`, optionals, comprehensions over two variables, `sortBy`,
 * `math.greatest` and `math.least`. Each becomes folds and calls that the evaluator has.
 * Sources: cel-go's ext/bindings.go, ext/comprehensions.go, cel/library.go (optMap), ext/math.go, ext/lists.go.
 */
import { SUGAR } from './desugar.ts';
import { bool, call, exprOf, fold, ident, int, list, type Expr, textOf } from './syntax.ts';

/** Names no expression can write, so that nothing of the user's is hidden by them. */
const ACCU = '@accu';
const ENTRY = '@entry';
const OPTIONAL = '@optional';
const LIST = '@list';

/** Expands all macros below an expression. */
export function expandMacros(expr: Expr): Expr {
  const { id, exprKind } = expr;
  switch (exprKind.case) {
    case 'selectExpr': {
      const { operand, field, testOnly } = exprKind.value;
      if (operand === undefined) return expr;
      const inner = expandMacros(operand);
      if (!isOptional(inner))
        return exprOf(id, { ...exprKind, value: { ...exprKind.value, operand: inner } });
      const chained = call(id, SUGAR.select, [textOf(id, field)], inner);
      return testOnly ? call(id, 'hasValue', [], chained) : chained;
    }
    case 'callExpr':
      return expandCall(expr);
    case 'listExpr':
      return expandList(id, exprKind.value.elements.map(expandMacros));
    case 'structExpr':
      return expandStruct(expr);
    case 'comprehensionExpr': {
      const { value } = exprKind;
      const parts = {
        ...(value.iterRange && { iterRange: expandMacros(value.iterRange) }),
        ...(value.accuInit && { accuInit: expandMacros(value.accuInit) }),
        ...(value.loopCondition && { loopCondition: expandMacros(value.loopCondition) }),
        ...(value.loopStep && { loopStep: expandMacros(value.loopStep) }),
        ...(value.result && { result: expandMacros(value.result) }),
      };
      return exprOf(id, { ...exprKind, value: { ...value, ...parts } });
    }
    default:
      return expr;
  }
}

function expandCall(expr: Expr): Expr {
  if (expr.exprKind.case !== 'callExpr') return expr;
  const { id } = expr;
  const { value } = expr.exprKind;
  const target = value.target && expandMacros(value.target);
  const args = value.args.map(expandMacros);
  const name = value.function;
  const space = target === undefined ? undefined : nameOf(target);
  const [first, second, third, fourth] = args;
  if (name === 'has' && target === undefined && first !== undefined)
    return hasIndex(id, first) ?? call(id, name, args);
  if (target === undefined) return indexed(id, name, args) ?? call(id, name, args);
  const variable = first && nameOf(first);
  if (space === 'cel' && name === 'bind' && variable !== undefined && second && third && args.length === 3) {
    return bind(id, variable, second, third);
  }
  if (space === 'math' && (name === 'greatest' || name === 'least') && first !== undefined) {
    const all = args.length === 1 && first.exprKind.case === 'listExpr' ? first : list(id, args);
    return call(id, `__math_${name}`, [all]);
  }
  if (variable !== undefined && second !== undefined && args.length === 2) {
    if (name === 'optMap' || name === 'optFlatMap')
      return optionalMap({ id, name, target, variable, body: second });
    if (name === 'sortBy') return sortBy(id, target, variable, second);
  }
  const other = second && nameOf(second);
  if (variable !== undefined && other !== undefined && third !== undefined) {
    const made = overTwo({ id, name, target, variables: [variable, other], third, fourth });
    if (made !== undefined) return made;
  }
  return call(id, name, args, target);
}

/** `cel.bind(x, init, body)`: a fold over nothing that starts with x. */
function bind(id: bigint, variable: string, init: Expr, body: Expr): Expr {
  return fold(id, {
    range: list(id, []),
    each: '@unused',
    accu: variable,
    init,
    whilst: bool(id, false),
    step: ident(id, variable),
    result: body,
  });
}

/** The list is named first: written down twice, nested calls would double at each level. */
function sortBy(id: bigint, target: Expr, each: string, key: Expr): Expr {
  const sorted = ident(id, LIST);
  return bind(id, LIST, target, call(id, '__sort_by', [sorted, collect(id, sorted, each, list(id, [key]))]));
}

/** A list of what `items` gives for each element. */
function collect(id: bigint, range: Expr, each: string, items: Expr): Expr {
  return fold(id, {
    range,
    each,
    accu: ACCU,
    init: list(id, []),
    whilst: bool(id, true),
    step: call(id, '_+_', [ident(id, ACCU), items]),
    result: ident(id, ACCU),
  });
}

function optionalMap({
  id,
  name,
  target,
  variable,
  body,
}: {
  readonly id: bigint;
  readonly name: string;
  readonly target: Expr;
  readonly variable: string;
  readonly body: Expr;
}): Expr {
  const optional = ident(id, OPTIONAL);
  const inner = bind(id, variable, call(id, 'value', [], optional), body);
  const some = name === 'optMap' ? call(id, 'optional.of', [inner]) : inner;
  const none = call(id, 'optional.none', []);
  return bind(id, OPTIONAL, target, call(id, '_?_:_', [call(id, 'hasValue', [], optional), some, none]));
}

/** `range.all(i, v, test)` and its kin: a fold over the pairs of the range. */
function overTwo({
  id,
  name,
  target,
  variables: [key, value],
  third,
  fourth,
}: {
  readonly id: bigint;
  readonly name: string;
  readonly target: Expr;
  readonly variables: readonly [string, string];
  readonly third: Expr;
  readonly fourth: Expr | undefined;
}): Expr | undefined {
  const part = (at: bigint): Expr => call(id, '_[_]', [ident(id, ENTRY), int(id, at)]);
  const within = (body: Expr): Expr => bind(id, key, part(0n), bind(id, value, part(1n), body));
  const range = call(id, '__entries', [target]);
  const base = { range, each: ENTRY, accu: ACCU, result: ident(id, ACCU) };
  const accu = ident(id, ACCU);
  const holds = (test: Expr): Expr => call(id, '@not_strictly_false', [test]);
  const results = fourth ?? third;
  const items = (wanted: Expr): Expr =>
    within(fourth === undefined ? wanted : call(id, '_?_:_', [third, wanted, list(id, [])]));
  const collected = (wanted: Expr): Expr => collect(id, range, ENTRY, items(wanted));
  if (fourth === undefined) {
    switch (name) {
      case 'all':
        return fold(id, {
          ...base,
          init: bool(id, true),
          whilst: holds(accu),
          step: call(id, '_&&_', [accu, within(third)]),
        });
      case 'exists':
        return fold(id, {
          ...base,
          init: bool(id, false),
          whilst: holds(call(id, '!_', [accu])),
          step: call(id, '_||_', [accu, within(third)]),
        });
      case 'existsOne':
      case 'exists_one': {
        const step = call(id, '_?_:_', [within(third), call(id, '_+_', [accu, int(id, 1n)]), accu]);
        const result = call(id, '_==_', [accu, int(id, 1n)]);
        return fold(id, { ...base, init: int(id, 0n), whilst: bool(id, true), step, result });
      }
    }
  }
  switch (name) {
    case 'transformList':
      return collected(list(id, [results]));
    case 'transformMap':
      return call(id, '__map_of', [collected(list(id, [list(id, [ident(id, key), results])]))]);
    case 'transformMapEntry':
      return call(id, '__map_of', [collected(call(id, '__entries', [results]))]);
    default:
      return undefined;
  }
}

/** True for what plainly gives an optional: what is selected from it is optional too. */
function isOptional({ exprKind }: Expr): boolean {
  if (exprKind.case !== 'callExpr') return false;
  const { function: name, target } = exprKind.value;
  if (name === SUGAR.select || name === SUGAR.index) return true;
  if (target === undefined) return false;
  return name === 'or' ? isOptional(target) : MAKERS.has(name) && nameOf(target) === 'optional';
}

const MAKERS = new Set(['of', 'none', 'ofNonZeroValue']);

/** An index behind an optional is optional. */
function indexed(id: bigint, name: string, args: Expr[]): Expr | undefined {
  const [operand, index] = args;
  if (name !== '_[_]' || operand === undefined || index === undefined || !isOptional(operand))
    return undefined;
  return call(id, SUGAR.index, [index], operand);
}

/** `has(a.`b-c`)`, which the rewriting of quoted fields has made an index. */
function hasIndex(id: bigint, { exprKind }: Expr): Expr | undefined {
  if (exprKind.case !== 'callExpr' || exprKind.value.function !== '_[_]') return undefined;
  const [operand, index] = exprKind.value.args;
  return operand && index && call(id, '@in', [index, operand]);
}

function expandList(id: bigint, elements: Expr[]): Expr {
  if (!elements.some((element) => isCallOf(element, SUGAR.item))) return list(id, elements);
  const optional = elements.map((element) => bool(id, isCallOf(element, SUGAR.item)));
  return call(id, '__list_of', [list(id, elements.map(unwrapped)), list(id, optional)]);
}

function expandStruct(expr: Expr): Expr {
  const { id, exprKind } = expr;
  if (exprKind.case !== 'structExpr') return expr;
  const { value } = exprKind;
  const entries = value.entries.map((entry) => ({
    ...entry,
    ...(entry.value && { value: expandMacros(entry.value) }),
    keyKind:
      entry.keyKind.case === 'mapKey'
        ? { ...entry.keyKind, value: expandMacros(entry.keyKind.value) }
        : entry.keyKind,
  }));
  const keys = entries.map(({ keyKind }) => (keyKind.case === 'mapKey' ? keyKind.value : undefined));
  if (!keys.some((key) => key !== undefined && isCallOf(key, SUGAR.key))) {
    return exprOf(id, { ...exprKind, value: { ...value, entries } });
  }
  const known = keys.filter((key) => key !== undefined);
  return call(id, '__optional_map_of', [
    list(id, known.map(unwrapped)),
    list(
      id,
      entries.map((entry) => entry.value).filter((one) => one !== undefined),
    ),
    list(
      id,
      known.map((key) => bool(id, isCallOf(key, SUGAR.key))),
    ),
  ]);
}

function isCallOf({ exprKind }: Expr, name: string): boolean {
  return exprKind.case === 'callExpr' && exprKind.value.function === name;
}

function unwrapped(expr: Expr): Expr {
  const { exprKind } = expr;
  if (exprKind.case !== 'callExpr') return expr;
  const inner = exprKind.value.function === SUGAR.item || exprKind.value.function === SUGAR.key;
  return inner ? (exprKind.value.args[0] ?? expr) : expr;
}

function nameOf({ exprKind }: Expr): string | undefined {
  return exprKind.case === 'identExpr' ? exprKind.value.name : undefined;
}
