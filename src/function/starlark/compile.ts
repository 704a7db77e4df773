/** The syntax tree as functions that run it. */
import type { Budget } from './budget.ts';
import { compileAssign } from './compile-assign.ts';
import { compileExpression } from './compile-expression.ts';
import { compileFunction } from './compile-function.ts';
import { fault, syntaxFault } from './fault.ts';
import { getField, setField } from './fields.ts';
import { nearest } from './nearest.ts';
import { augment } from './operators.ts';
import type { Frame, Scope } from './scope.ts';
import { forEach } from './sequence.ts';
import { getItem, setItem } from './subscript.ts';
import type { Expression, Statement } from './syntax.ts';
import { isTrue } from './value.ts';
import type { Value } from './value.ts';

/** What is the same for a whole script. */
export interface Context {
  readonly file: string;
  readonly budget: Budget;
  /** Names that the script need not define. */
  readonly globals: ReadonlyMap<string, Value>;
  readonly load: (module: string) => ReadonlyMap<string, Value> | undefined;
}

/** Where a statement stands. */
export interface Place {
  readonly context: Context;
  readonly scope: Scope;
  readonly inFunction: boolean;
  readonly inLoop: boolean;
}

export type Code = (frame: Frame) => Value;

/** How a statement ended. */
export type Signal = 'next' | 'break' | 'continue' | 'return';
export type Step = (frame: Frame) => Signal;

export function compileBlock(statements: readonly Statement[], place: Place): Step {
  const steps = statements.map((statement) => compileStatement(statement, place));
  const { budget } = place.context;
  return (frame) => {
    for (const step of steps) {
      budget.work(1);
      const signal = step(frame);
      if (signal !== 'next') return signal;
    }
    return 'next';
  };
}

function compileStatement(statement: Statement, place: Place): Step {
  const { context, scope } = place;
  const { position } = statement;
  switch (statement.kind) {
    case 'expression': {
      const value = compileExpression(statement.value, context, scope);
      return (frame) => {
        value(frame);
        return 'next';
      };
    }
    case 'assign': {
      const value = compileExpression(statement.value, context, scope);
      const assign = compileAssign(statement.target, context, scope);
      return (frame) => {
        assign(frame, value(frame));
        return 'next';
      };
    }
    case 'augment':
      return compileAugment(statement, place);
    case 'def': {
      const make = compileFunction(statement.definition, context, scope);
      const { name } = statement.definition;
      const assign = compileAssign({ kind: 'name', position, name }, context, scope);
      return (frame) => {
        assign(frame, make(frame));
        return 'next';
      };
    }
    case 'if': {
      const test = compileExpression(statement.test, context, scope);
      const yes = compileBlock(statement.yes, place);
      const no = compileBlock(statement.no, place);
      return (frame) => (isTrue(test(frame)) ? yes(frame) : no(frame));
    }
    case 'for':
      return compileFor(statement, place);
    case 'while':
      return compileWhile(statement, place);
    case 'return': {
      if (!place.inFunction)
        throw syntaxFault(context.file, position, 'return statement not within a function');
      const value =
        statement.value === undefined ? undefined : compileExpression(statement.value, context, scope);
      return (frame) => {
        frame.result = value === undefined ? null : value(frame);
        return 'return';
      };
    }
    case 'break':
    case 'continue': {
      const { kind } = statement;
      if (!place.inLoop) throw syntaxFault(context.file, position, `${kind} not in a loop`);
      return () => kind;
    }
    case 'pass':
      return () => 'next';
    case 'load':
      return compileLoad(statement, place);
  }
}

function compileFor(statement: Statement & { readonly kind: 'for' }, place: Place): Step {
  const { context, scope } = place;
  const { position } = statement;
  const iterable = compileExpression(statement.iterable, context, scope);
  const assign = compileAssign(statement.target, context, scope);
  const body = compileBlock(statement.body, { ...place, inLoop: true });
  return (frame) => {
    let end: Signal = 'next';
    const items = iterable(frame);
    frame.entry.at = position;
    forEach(items, context.budget, (item) => {
      assign(frame, item);
      const signal = body(frame);
      if (signal === 'return') end = signal;
      return signal !== 'return' && signal !== 'break';
    });
    return end;
  };
}

function compileWhile(statement: Statement & { readonly kind: 'while' }, place: Place): Step {
  const { context, scope } = place;
  const { budget } = context;
  const test = compileExpression(statement.test, context, scope);
  const body = compileBlock(statement.body, { ...place, inLoop: true });
  return (frame) => {
    while (isTrue(test(frame))) {
      frame.entry.at = statement.position;
      budget.work(1);
      const signal = body(frame);
      if (signal === 'return') return signal;
      if (signal === 'break') break;
    }
    return 'next';
  };
}

/** The parts of the target are evaluated once. */
function compileAugment(statement: Statement & { readonly kind: 'augment' }, place: Place): Step {
  const { context, scope } = place;
  const { budget } = context;
  const { operator, position } = statement;
  const target = bare(statement.target);
  const value = compileExpression(statement.value, context, scope);
  if (target.kind === 'index') {
    const object = compileExpression(target.object, context, scope);
    const index = compileExpression(target.index, context, scope);
    return (frame) => {
      const [container, key] = [object(frame), index(frame)];
      frame.entry.at = target.position;
      const old = getItem(container, key, budget);
      const operand = value(frame);
      frame.entry.at = position;
      setItem(container, key, augment(operator, old, operand, budget), budget);
      return 'next';
    };
  }
  if (target.kind === 'dot') {
    const object = compileExpression(target.object, context, scope);
    return (frame) => {
      const container = object(frame);
      frame.entry.at = position;
      const old = getField(container, target.name, budget);
      setField(container, target.name, augment(operator, old, value(frame), budget));
      return 'next';
    };
  }
  const read = compileExpression(target, context, scope);
  const assign = compileAssign(target, context, scope);
  return (frame) => {
    const old = read(frame);
    const operand = value(frame);
    frame.entry.at = position;
    assign(frame, augment(operator, old, operand, budget));
    return 'next';
  };
}

function bare(target: Expression): Expression {
  return target.kind === 'paren' ? bare(target.inner) : target;
}

function compileLoad(statement: Statement & { readonly kind: 'load' }, place: Place): Step {
  const { context, scope } = place;
  const { position, module, names } = statement;
  if (place.inFunction) throw syntaxFault(context.file, position, 'load statement within a function');
  if (place.inLoop) throw syntaxFault(context.file, position, 'load statement within a loop');
  const targets = names.map(({ local, name, position }) => ({
    name,
    position,
    assign: compileAssign({ kind: 'name', position, name: local }, context, scope),
  }));
  return (frame) => {
    frame.entry.at = position;
    const loaded = context.load(module);
    if (loaded === undefined) throw fault(`cannot load ${module}: this library is not available`);
    for (const target of targets) {
      const value = loaded.get(target.name);
      frame.entry.at = target.position;
      if (value === undefined) {
        const hint = nearest(target.name, [...loaded.keys()]);
        throw fault(`load: name ${target.name} not found in module ${module}${hint}`);
      }
      target.assign(frame, value);
    }
    return 'next';
  };
}
