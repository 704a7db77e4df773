/** Which variable a name means. Frames hold the variables of one call; inner functions reach out to outer frames. */
import type { Position } from './fault.ts';
import type { Clause, Definition, Expression, Statement } from './syntax.ts';
import type { Value } from './value.ts';

export interface Scope {
  readonly outer: Scope | undefined;
  readonly slots: Map<string, number>;
  /** Variables of the comprehensions around, innermost last. */
  readonly blocks: Map<string, number>[];
  size: number;
}

/** The variables of one call. */
export interface Frame {
  readonly slots: (Value | undefined)[];
  readonly outer: Frame | undefined;
  /** Where the call stands; tracebacks show it. */
  readonly entry: { readonly name: string; at: Position };
  result: Value;
}

export interface Variable {
  /** How many frames out. */
  readonly depth: number;
  readonly slot: number;
  readonly global: boolean;
}

export function moduleScope(statements: readonly Statement[]): Scope {
  return scopeOf(undefined, [], statements);
}

export function functionScope(outer: Scope, definition: Definition): Scope {
  const names = definition.parameters.flatMap(({ name }) => (name === undefined ? [] : [name]));
  return scopeOf(outer, names, definition.body);
}

function scopeOf(outer: Scope | undefined, names: readonly string[], body: readonly Statement[]): Scope {
  const scope: Scope = { outer, slots: new Map(), blocks: [], size: 0 };
  for (const name of names) declare(scope, name);
  bindStatements(body, (name) => declare(scope, name));
  return scope;
}

function declare(scope: Scope, name: string): void {
  if (scope.slots.has(name)) return;
  scope.slots.set(name, scope.size);
  scope.size += 1;
}

/** Opens the block of a comprehension: its variables are its own. */
export function openBlock(scope: Scope): void {
  scope.blocks.push(new Map());
}

export function bindClause(scope: Scope, clause: Clause): void {
  const block = scope.blocks.at(-1);
  if (clause.kind !== 'for' || block === undefined) return;
  bindTarget(clause.target, (name) => {
    if (block.has(name)) return;
    block.set(name, scope.size);
    scope.size += 1;
  });
}

export function closeBlock(scope: Scope): void {
  scope.blocks.pop();
}

/** The variable that a name means here; undefined where the script has none of that name. */
export function resolve(scope: Scope, name: string): Variable | undefined {
  let here: Scope | undefined = scope;
  for (let depth = 0; here !== undefined; depth += 1) {
    const block = here.blocks.findLast((one) => one.has(name));
    const slot = block?.get(name) ?? here.slots.get(name);
    if (slot !== undefined) return { depth, slot, global: here.outer === undefined && block === undefined };
    here = here.outer;
  }
  return undefined;
}

/** All names that can be seen here. */
export function visibleNames(scope: Scope): string[] {
  const names = [...scope.blocks.flatMap((block) => [...block.keys()]), ...scope.slots.keys()];
  return scope.outer === undefined ? names : [...names, ...visibleNames(scope.outer)];
}

type Bind = (name: string) => void;

/** Calls `bind` for every name that statements give a value to, those of inner functions apart. */
function bindStatements(statements: readonly Statement[], bind: Bind): void {
  for (const statement of statements) {
    switch (statement.kind) {
      case 'assign':
      case 'augment':
        bindTarget(statement.target, bind);
        break;
      case 'def':
        bind(statement.definition.name);
        break;
      case 'if':
        bindStatements(statement.yes, bind);
        bindStatements(statement.no, bind);
        break;
      case 'for':
        bindTarget(statement.target, bind);
        bindStatements(statement.body, bind);
        break;
      case 'while':
        bindStatements(statement.body, bind);
        break;
      case 'load':
        for (const { local } of statement.names) bind(local);
        break;
      default:
    }
  }
}

function bindTarget(target: Expression, bind: Bind): void {
  if (target.kind === 'name') bind(target.name);
  else if (target.kind === 'paren') bindTarget(target.inner, bind);
  else if (target.kind === 'list' || target.kind === 'tuple')
    for (const item of target.items) bindTarget(item, bind);
}
