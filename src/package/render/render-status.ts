/** What a Kptfile says of its own render, where the package asks for it. */
import { isMap } from '../plain-values.ts';
import { editInPlace, reread } from './edit-documents.ts';
import { copyValue } from './field-notes.ts';
import type { KrmObject } from './krm-object.ts';
import type { FunctionRun, RenderResult } from './render-types.ts';
import { entryOf } from './result-entry.ts';

const RENDERED = 'Rendered';

/**
 * The result with the condition `Rendered` and, where there is one, `status.renderStatus` of the root Kptfile brought up
 * to date, as kpt does since beta.62. A package asks for it by a readiness gate `Rendered`, or by having either: kpt
 * writes both into every package. What a render said that changed the package stays until the next that does.
 */
export function withRenderStatus(result: RenderResult, saves: boolean): RenderResult {
  if (result.problem !== undefined) return result;
  const failed = result.runs.find((run) => run.guardrail === undefined && isFailed(run));
  if (failed !== undefined && !saves) return result;
  const file = result.files.get('Kptfile');
  const source = file && reread('Kptfile', new TextDecoder('utf-8', { ignoreBOM: true }).decode(file.bytes));
  const kptfile = source?.documents[0]?.value;
  if (file === undefined || source === undefined || kptfile === undefined || !asks(kptfile)) return result;
  const condition = conditionsOf(kptfile).find((one) => one['type'] === RENDERED);
  const news =
    condition?.['status'] !== (failed === undefined ? 'True' : 'False') || condition['reason'] === undefined;
  if (result.changed.length === 0 && !news) return result;
  const wanted = copyValue(kptfile);
  setStatus(wanted, result.runs, failed);
  const text = editInPlace(source, [wanted]);
  if (text === source.yaml.source.text) return result;
  const files = new Map(result.files).set('Kptfile', {
    mode: file.mode,
    bytes: new TextEncoder().encode(text),
  });
  return { ...result, files, changed: [...new Set([...result.changed, 'Kptfile'])].sort() };
}

function isFailed(run: FunctionRun): boolean {
  const errors = run.type === 'validator' && run.results.some(({ severity }) => severity === 'error');
  return run.exitCode !== 0 || run.refused !== undefined || errors;
}

function asks(kptfile: KrmObject): boolean {
  const info = isMap(kptfile['info']) ? kptfile['info'] : {};
  const gates = Array.isArray(info['readinessGates']) ? info['readinessGates'] : [];
  return (
    gates.some((gate) => isMap(gate) && gate['conditionType'] === RENDERED) ||
    conditionsOf(kptfile).some((one) => one['type'] === RENDERED) ||
    statusOf(kptfile)['renderStatus'] !== undefined
  );
}

function statusOf(kptfile: KrmObject): KrmObject {
  return isMap(kptfile['status']) ? kptfile['status'] : {};
}

function conditionsOf(kptfile: KrmObject): KrmObject[] {
  const { conditions } = statusOf(kptfile);
  return Array.isArray(conditions) ? conditions.filter(isMap) : [];
}

/** Changes `kptfile`. */
function setStatus(kptfile: KrmObject, runs: readonly FunctionRun[], failed: FunctionRun | undefined): void {
  const status = statusOf(kptfile);
  const condition: KrmObject =
    failed === undefined
      ? { type: RENDERED, status: 'True', reason: 'RenderSuccess' }
      : { type: RENDERED, status: 'False', reason: 'RenderFailed', message: messageOf(failed) };
  const conditions = conditionsOf(kptfile);
  const at = conditions.findIndex((one) => one['type'] === RENDERED);
  if (at === -1) conditions.push(condition);
  else conditions[at] = condition;
  status['conditions'] = conditions;
  if (status['renderStatus'] !== undefined) {
    const steps = (type: FunctionRun['type']): unknown[] =>
      runs.filter((run) => run.type === type && run.guardrail === undefined).map(stepOf);
    const [mutationSteps, validationSteps] = [steps('mutator'), steps('validator')];
    status['renderStatus'] = {
      ...(mutationSteps.length === 0 ? {} : { mutationSteps }),
      ...(validationSteps.length === 0 ? {} : { validationSteps }),
      ...(failed === undefined ? {} : { errorSummary: summaryOf(failed) }),
    };
  }
  kptfile['status'] = status;
}

function messageOf(failed: FunctionRun): string {
  return `pkg.render: pkg ${failed.package}:\n\tpipeline.run: ${failed.refused?.message ?? 'already handled error'}`;
}

function summaryOf({ spec, function: name, exitCode }: FunctionRun): string {
  return `${spec?.image ?? spec?.exec ?? name}: exit code ${exitCode}`;
}

function stepOf(run: FunctionRun): KrmObject {
  const entry = entryOf(run);
  const name = run.spec?.name;
  return {
    ...(name === undefined ? {} : { name }),
    ...entry,
    ...(run.exitCode === 0 || entry['results'] === undefined ? {} : { errorResults: entry['results'] }),
  };
}
