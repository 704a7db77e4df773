import type { FunctionRuntime } from '../package/render/function-runtime.ts';
import type { RenderMemory } from '../package/render/memory.ts';
import type { ToolMachine } from '../processors/run-tool.ts';

/** What a worker process brings along. */
export interface Tools {
  readonly runtime: FunctionRuntime;
  readonly memory: RenderMemory;
  /** Says what is worked on, so that whoever is told of a limit is told where it was met. */
  readonly step: (at: Step) => void;
  /** Runs the tools of processors. */
  readonly machine: ToolMachine;
}

export interface Step {
  /** Directory of the package, '.' for the root; or what else is worked on. */
  readonly package: string;
  /** The function or guardrail. */
  readonly function: string;
}
