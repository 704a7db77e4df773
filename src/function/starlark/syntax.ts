/** The syntax tree of a script. */
import type { Position } from './fault.ts';

interface At {
  readonly position: Position;
}

export type Expression = At &
  (
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'literal'; readonly value: string | number | bigint; readonly bytes: boolean }
    | { readonly kind: 'list' | 'tuple'; readonly items: readonly Expression[] }
    | { readonly kind: 'paren'; readonly inner: Expression }
    | { readonly kind: 'dict'; readonly entries: readonly DictEntry[] }
    | {
        readonly kind: 'comprehension';
        readonly body: Expression | DictEntry;
        readonly clauses: readonly Clause[];
      }
    | {
        readonly kind: 'conditional';
        readonly test: Expression;
        readonly yes: Expression;
        readonly no: Expression;
      }
    | { readonly kind: 'unary'; readonly operator: string; readonly operand: Expression }
    | Binary
    | { readonly kind: 'dot'; readonly object: Expression; readonly name: string }
    | { readonly kind: 'index'; readonly object: Expression; readonly index: Expression }
    | {
        readonly kind: 'slice';
        readonly object: Expression;
        readonly bounds: readonly (Expression | undefined)[];
      }
    | { readonly kind: 'call'; readonly callee: Expression; readonly args: readonly Argument[] }
    | { readonly kind: 'lambda'; readonly definition: Definition }
  );

interface Binary {
  readonly kind: 'binary';
  readonly operator: string;
  readonly left: Expression;
  readonly right: Expression;
}

export interface DictEntry extends At {
  readonly kind: 'entry';
  readonly key: Expression;
  readonly value: Expression;
}

export type Clause = At &
  (
    | { readonly kind: 'for'; readonly target: Expression; readonly iterable: Expression }
    | { readonly kind: 'if'; readonly test: Expression }
  );

export interface Argument extends At {
  readonly kind: 'positional' | 'named' | '*' | '**';
  /** Of named arguments. */
  readonly name: string;
  readonly value: Expression;
}

export interface Parameter extends At {
  /** `*` without a name only ends the positional ones. */
  readonly kind: 'plain' | '*' | '**';
  readonly name: string | undefined;
  readonly fallback: Expression | undefined;
}

export interface Definition extends At {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly body: readonly Statement[];
}

export type Statement = At &
  (
    | { readonly kind: 'expression'; readonly value: Expression }
    | { readonly kind: 'assign'; readonly target: Expression; readonly value: Expression }
    | {
        readonly kind: 'augment';
        readonly target: Expression;
        readonly operator: string;
        readonly value: Expression;
      }
    | { readonly kind: 'def'; readonly definition: Definition }
    | {
        readonly kind: 'if';
        readonly test: Expression;
        readonly yes: readonly Statement[];
        readonly no: readonly Statement[];
      }
    | {
        readonly kind: 'for';
        readonly target: Expression;
        readonly iterable: Expression;
        readonly body: readonly Statement[];
      }
    | { readonly kind: 'while'; readonly test: Expression; readonly body: readonly Statement[] }
    | { readonly kind: 'return'; readonly value: Expression | undefined }
    | { readonly kind: 'break' | 'continue' | 'pass' }
    | {
        readonly kind: 'load';
        readonly module: string;
        readonly names: readonly (At & { readonly local: string; readonly name: string })[];
      }
  );
