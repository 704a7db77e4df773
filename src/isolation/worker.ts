/**
 * The process in which foreign content is worked on. It has no environment, may start nothing and write nothing, and
 * whoever started it kills it where it takes too long or too much.
 */
import { serialize } from 'node:v8';

import { PorticoError } from '../error.ts';
import { judgementOf, judgePolicy } from '../function/judge-policy.ts';
import { createRuntime, isBuiltin, runPrinted } from '../function/runtime.ts';
import type { PackageFiles } from '../package/package.ts';
import type { FunctionRuntime, Judgement, PrintedOutput } from '../package/render/function-runtime.ts';
import { createRenderMemory } from '../package/render/memory.ts';
import type { Guardrail } from '../package/render/render-types.ts';
import type { ToolMachine, ToolRun } from '../processors/run-tool.ts';
import type { Delivery, Given, Message, Question, Reply, Request } from './messages.ts';
import { OPERATIONS } from './operations.ts';
import type { Tools } from './tools.ts';
import { giveFiles, receiveFiles } from './wire-files.ts';

/** Work that did not come to its end because it met a limit that is looked at here. */
class Limit extends Error {
  readonly by: 'output' | 'count';

  constructor(by: 'output' | 'count', message: string) {
    super(message);
    this.by = by;
  }
}

/** An operation gives at most one package, called `files`. */
type Answer = object & { readonly files?: PackageFiles };

const memory = createRenderMemory();
const kept = new Map<string, Uint8Array>();
const definitions = new Map<number, NonNullable<Guardrail['definitions']>>();
const builtins = createRuntime();
let reply: ((reply: Reply) => void) | undefined;

process.on('message', (message: Delivery | Request | Reply) => {
  if ('contents' in message) take(message);
  else if ('operation' in message) void work(message);
  else reply?.(message);
});
process.on('disconnect', () => process.exit(0));
// The first message says that it is ready; what work takes is counted after it.
process.send?.({ ready: true });

function take({ contents, forget }: Delivery): void {
  if (forget) {
    kept.clear();
    definitions.clear();
  }
  for (const [name, bytes] of contents) kept.set(name, bytes);
}

async function work(request: Request): Promise<void> {
  let given: Given;
  try {
    given = await perform(request);
  } catch (error) {
    given = failure(error);
  }
  for (const name of kept.keys()) if (name.startsWith('#')) kept.delete(name);
  say({ given: serialize(given) });
}

async function perform(request: Request): Promise<Given> {
  for (const [id, list] of request.definitions) if (list !== null) definitions.set(id, list as never);
  const sets = Object.fromEntries(
    Object.entries(request.sets).map(([name, files]) => [name, receiveFiles(files, kept)]),
  );
  const operation = OPERATIONS[request.operation as keyof typeof OPERATIONS] as (
    input: unknown,
    tools: Tools,
  ) => Promise<Answer> | Answer;
  const answer = await operation({ ...withDefinitions(request.rest), ...sets }, toolsFor(request));
  const { files, ...rest } = answer;
  const bytes = serialize(rest);
  if (bytes.length > request.restBytes) throw tooMuch(request.restBytes);
  if (files === undefined) return { kind: 'done', rest: bytes };
  const given = giveFiles(files, sets);
  let size = 0;
  for (const [, , from] of given) if (from instanceof Uint8Array) size += from.length;
  if (size > request.fileBytes) throw tooMuch(request.fileBytes);
  return { kind: 'done', files: given, rest: bytes };
}

function tooMuch(bytes: number): Limit {
  return new Limit('output', `the output is larger than ${Math.floor(bytes / 1024 / 1024)} MiB`);
}

/** Definitions come once, and are the same list each time, so that what functions read of them is kept. */
function withDefinitions(rest: Request['rest']): Request['rest'] {
  const { guardrails } = rest;
  if (!Array.isArray(guardrails)) return rest;
  return {
    ...rest,
    guardrails: guardrails.map((one: Guardrail & { readonly definitionsId?: number }) => {
      const { definitionsId, ...guardrail } = one;
      return definitionsId === undefined
        ? guardrail
        : { ...guardrail, definitions: definitions.get(definitionsId) };
    }),
  };
}

function toolsFor({ stopped, functions }: Request): Tools {
  const refusals = new Map(stopped);
  let at = 0;
  const runtime: FunctionRuntime = {
    ...builtins,
    async run(spec, input, signal) {
      const refused = refusals.get(at);
      if (refused !== undefined) return { exitCode: 1, results: [], refused };
      if (spec.exec !== undefined || isBuiltin(spec)) return builtins.run(spec, input, signal);
      return runPrinted((list) => ask({ ask: 'print', spec, list }) as Promise<PrintedOutput>, input);
    },
    async judge(policy, review) {
      const refused = refusals.get(at);
      return refused === undefined ? judgementOf(judgePolicy({ policy, review })) : { refused };
    },
    async judgeRego({ bytes: _bytes, ...module }, review) {
      const refused = refusals.get(at);
      return refused === undefined
        ? (ask({ ask: 'rego', module, review }) as Promise<Judgement>)
        : { refused };
    },
  };
  const step: Tools['step'] = (what) => {
    at += 1;
    if (at > functions) throw new Limit('count', `more than ${functions} functions are to run`);
    say({ step: what, at });
  };
  const machine: ToolMachine = {
    find: (name, wanted) => ask({ ask: 'find-tool', name, wanted }) as ReturnType<ToolMachine['find']>,
    run: (tool, args, files) => ask({ ask: 'run-tool', tool, args, files }) as Promise<ToolRun>,
  };
  return { runtime, memory, step, machine };
}

async function ask(question: Question): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  reply = resolve;
  say({ question });
  const answer = await promise;
  if ('failed' in answer) throw new Error(answer.failed);
  return answer.reply;
}

function say(message: Message): void {
  process.send?.(message);
}

function failure(error: unknown): Given {
  if (error instanceof Limit) return { kind: 'limit', by: error.by, message: error.message };
  if (error instanceof PorticoError) {
    const { code, message, hint, blame } = error;
    return { kind: 'error', code, message, ...(hint !== undefined && { hint }), blame };
  }
  // Nested too deeply, or longer than a text or list can be.
  if (error instanceof RangeError) return { kind: 'limit', by: 'depth', message: error.message };
  return { kind: 'bug', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
