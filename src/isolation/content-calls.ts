/** The operations as whoever needs them calls them. */

import type { FileDocuments } from '../config/read-content.ts';
import { PorticoError } from '../error.ts';
import type { PackageFiles } from '../package/package.ts';
import type { KrmObject } from '../package/render/krm-object.ts';
import type { FunctionRun, Guardrail, RenderResult } from '../package/render/render-types.ts';
import type { SettledPackage } from '../package/render/settled.ts';
import type { Content, RenderWork } from '../reconcile/content-port.ts';
import type { LimitMet } from './limits.ts';
import type { Made } from './operations.ts';
import type { Performer } from './perform.ts';
import type { JobShare } from './share.ts';
import { createSourceCalls, type SourceCalls } from './source-calls.ts';
import type { Packages } from './wire-files.ts';

/** What the reconcilers ask for, and what reads sources. */
export interface ContentCalls extends Content {
  /** Documents of sources and what they lead to: bytes that nobody here wrote. */
  readonly sources: SourceCalls;
}

/** `current` is asked at each call: who calls now, and for which job. */
export function createContentCalls(perform: Performer, current: () => JobShare): ContentCalls {
  const valueOf = async <Value>(
    operation: string,
    packages: Packages,
    rest: Readonly<Record<string, unknown>>,
    signal: AbortSignal | undefined,
  ): Promise<Value> => {
    const done = await perform({ operation, packages, rest, signal }, current());
    if (done.ok) return done.value as Value;
    throw limitError(done.limit);
  };
  const filesOf = async (
    operation: string,
    files: PackageFiles,
    rest: Readonly<Record<string, unknown>>,
    signal: AbortSignal | undefined,
  ): Promise<PackageFiles> => {
    const made = await valueOf<{ readonly files: PackageFiles }>(operation, { files }, rest, signal);
    return made.files;
  };
  const orUnrendered = async <Result>(
    piece: Parameters<Performer>[0],
    files: PackageFiles,
    guardrails: readonly Guardrail[],
  ): Promise<Result | Unrendered> => {
    const done = await perform(piece, current());
    return done.ok ? (done.value as Result) : unrendered(files, guardrails, done.limit);
  };
  const rendered = async <Result>(operation: string, input: RenderWork): Promise<Result | Unrendered> => {
    const { files, runtime, signal, context, ...rest } = input;
    const { base, ...place } = context ?? {};
    const piece = {
      operation,
      packages: { files, ...(base && { base }) },
      rest: { ...rest, ...(context && { context: place }) },
      runtime,
      signal,
    };
    return orUnrendered(piece, files, input.guardrails ?? []);
  };
  return {
    render: (input) => rendered<RenderResult>('render', input),
    renderSettled: (input) => rendered<SettledPackage>('renderSettled', input),
    async evaluate({ files, runtime, signal, ...rest }) {
      const piece = { operation: 'evaluate', packages: { files }, rest, runtime, signal };
      return orUnrendered<RenderResult>(piece, files, []);
    },
    merge: ({ base, upstream, local, ...rest }, signal) =>
      valueOf('merge', { base, upstream, local }, rest, signal),
    mergeConcurrent: ({ base, upstream, local, ...rest }, signal) =>
      valueOf('mergeConcurrent', { base, upstream, local }, rest, signal),
    compare: ({ before, after, ...settings }, signal) =>
      valueOf('compare', { before, after }, settings, signal),
    diffText: ({ before, after, limit }, signal) => valueOf('diffText', { before, after }, { limit }, signal),
    async survivingChanges(sides, signal) {
      const { lines } = await valueOf<{ readonly lines: readonly string[] }>(
        'survivingChanges',
        { ...sides },
        {},
        signal,
      );
      return lines;
    },
    headChange: ({ before, after, ...settings }, signal) =>
      valueOf('headChange', { before, after }, settings, signal),
    changeDigest: ({ before, after }, signal) => valueOf('changeDigest', { before, after }, {}, signal),
    patch: ({ before, after }, signal) => valueOf('patch', { before, after }, {}, signal),
    settle: ({ before, after, current }, signal) => valueOf('settle', { before, after, current }, {}, signal),
    clone: (files, options, signal) => filesOf('clone', files, { options }, signal),
    markMerged: (files, paths, signal) => filesOf('markMerged', files, { paths }, signal),
    async variant({ files, ...rest }, signal) {
      const made = await valueOf<Made>('variant', { files }, rest, signal);
      return made.ok ? { ok: true, value: made.files } : made;
    },
    proposedValues: (files, findings, signal) => filesOf('proposedValues', files, { findings }, signal),
    deployable: (files, signal) => filesOf('deployable', files, {}, signal),
    async documents(files, signal) {
      const { read } = await valueOf<{ readonly read: readonly FileDocuments[] }>(
        'documents',
        { files },
        {},
        signal,
      );
      return read;
    },
    async definitions(files, signal) {
      const { definitions } = await valueOf<{ readonly definitions: readonly KrmObject[] }>(
        'definitions',
        { files },
        {},
        signal,
      );
      return definitions;
    },
    configuration: ({ sources, ...rest }, signal) => valueOf('configuration', { sources }, rest, signal),
    changeChannels: (text, change, facts, signal) =>
      valueOf('changeChannels', {}, { text, change, facts }, signal),
    operator: (files, signal) => valueOf('operator', { files }, {}, signal),
    channels: (text, facts, signal) => valueOf('channels', {}, { text, facts }, signal),
    expand: (asked, signal) => valueOf('expand', {}, asked, signal),
    sources: createSourceCalls(async ({ operation, packages, rest, ...more }) => {
      const done = await perform({ operation, packages, rest, ...more }, current());
      if (done.ok) return done.value;
      throw limitError(done.limit);
    }),
  };
}

type Unrendered = RenderResult & { readonly ok: false };

/** Nothing of the package is known: no guardrail counts as passed. */
function unrendered(files: PackageFiles, guardrails: readonly Guardrail[], limit: LimitMet): Unrendered {
  const { code, message, hint } = limit;
  const refused = { code, message, hint };
  const runs = guardrails.map(({ name, type, spec }): FunctionRun => ({
    package: '.',
    function: name,
    spec,
    type,
    guardrail: name,
    exitCode: 1,
    results: [],
    refused,
  }));
  return { ok: false, files, changed: [], runs, findings: [], problem: { code, message, hint } };
}

/** Like content that is too large: whoever wrote it has to mend it. */
function limitError({ code, message, hint }: LimitMet): PorticoError {
  return new PorticoError(code, message, { blame: 'user', hint });
}
