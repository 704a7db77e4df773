/** What a worker process and its server tell each other. One piece of work at a time. */

import type { Review } from '../cel/review.ts';
import type { ErrorCode } from '../error-code.ts';
import type { Blame, Refusal } from '../error.ts';
import type {
  FunctionSpec,
  Judgement,
  PrintedOutput,
  RegoModule,
} from '../package/render/function-runtime.ts';
import type { Tree } from '../package/tree-digest.ts';
import type { ToolMachine, ToolRun } from '../processors/run-tool.ts';
import type { Tool } from '../processors/tool.ts';
import type { Step } from './tools.ts';
import type { Contents, GivenFile, SentFile } from './wire-files.ts';

/** Contents of files that a piece of work will name. */
export interface Delivery {
  readonly contents: Contents;
  /** All that was sent before is to be forgotten. */
  readonly forget: boolean;
}

/** A piece of work. */
export interface Request {
  readonly operation: string;
  /** Packages, by the name of the property that they are. */
  readonly sets: Readonly<Record<string, readonly SentFile[]>>;
  /** All other properties. */
  readonly rest: Readonly<Record<string, unknown>>;
  /** Definitions of custom resources that guardrails name by their place here; null where they were sent before. */
  readonly definitions: readonly (readonly [id: number, definitions: readonly unknown[] | null])[];
  /** Functions that were stopped before, by which step of the work they are. */
  readonly stopped: readonly (readonly [at: number, refused: Refusal])[];
  /** Bytes that the files of the answer may have, and all the rest of it. */
  readonly fileBytes: number;
  readonly restBytes: number;
  /** Functions that may run. */
  readonly functions: number;
}

/** A process asks for what it may not do itself: to start a foreign function, a compiled policy or a tool. */
export type Question =
  | { readonly ask: 'print'; readonly spec: FunctionSpec; readonly list: string }
  | { readonly ask: 'rego'; readonly module: Omit<RegoModule, 'bytes'>; readonly review: Review }
  /** To find a tool of processors, and to run one. */
  | { readonly ask: 'find-tool'; readonly name: Tool['name']; readonly wanted: string | undefined }
  | {
      readonly ask: 'run-tool';
      readonly tool: Tool;
      readonly args: readonly string[];
      readonly files: Tree;
    };

export type Reply =
  | { readonly reply: PrintedOutput | Judgement | ToolRun | Awaited<ReturnType<ToolMachine['find']>> }
  | { readonly failed: string };

export type Message =
  | { readonly step: Step; readonly at: number }
  | { readonly question: Question }
  /** A `Given`, serialized. */
  | { readonly given: Uint8Array };

export type Given =
  | {
      readonly kind: 'done';
      readonly files?: readonly GivenFile[];
      /** The answer without its packages, serialized. */
      readonly rest: Uint8Array;
    }
  /** As a PorticoError tells it. */
  | {
      readonly kind: 'error';
      readonly code: ErrorCode;
      readonly message: string;
      readonly hint?: string;
      readonly blame: Blame;
    }
  /** A limit that the process finds for itself. */
  | { readonly kind: 'limit'; readonly by: 'output' | 'count' | 'depth'; readonly message: string }
  /** A mistake of ours. */
  | { readonly kind: 'bug'; readonly message: string };
