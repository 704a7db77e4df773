/** What a guardrail finds where a reviewed exemption says that it may be so, for a time. */
import { groupOf } from '../plain-values.ts';
import type { FunctionOutput, ResultItem } from './function-runtime.ts';

/** An exemption as it concerns one guardrail of one package. */
export interface GuardrailExemption {
  readonly name: string;
  readonly until: string;
  readonly why: string;
  /** Only these; absent: all that the guardrail finds in the package. */
  readonly resources?: readonly ResourceNames[];
}

/**
 * All fields that are there must match. With a kind and a name it means one resource: where a package has several of
 * them, in other groups or namespaces, it means none until it tells them apart.
 */
export interface ResourceNames {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
}

/** The tag of a result that names the exemption for which it does not count. */
export const EXEMPTION_TAG = 'exemption';

/** The resources that the validator saw, those in lists too. */
export interface Judged {
  readonly subjects: readonly ResourceNames[];
  /** Lists of which the validator does not say whether it means them or something inside. */
  readonly unclear: readonly ResourceNames[];
}

/**
 * Findings that are exempt only inform, with the reason. Where nothing else was wrong, the validator has passed; one that
 * was refused, or crashed, has not. An exemption covers the resource that it names, and nothing inside or beside it.
 */
export function exempted(
  output: FunctionOutput,
  exemptions: readonly GuardrailExemption[],
  judged: Judged = { subjects: [], unclear: [] },
): FunctionOutput {
  if (exemptions.length === 0 || output.refused !== undefined) return output;
  let spared = 0;
  const results = output.results.map((result): ResultItem => {
    if (result.severity !== 'error' && result.severity !== 'warning') return result;
    const found = exemptions.find(({ resources }) => isMeant(result, resources, judged));
    if (found === undefined) return result;
    if (result.severity === 'error') spared += 1;
    const { name, until, why } = found;
    return {
      ...result,
      severity: 'info',
      message: `${result.message} (exempt until ${until} by ${name}: ${why})`,
      tags: { ...result.tags, [EXEMPTION_TAG]: name },
    };
  });
  const isLeft = results.some(({ severity }) => severity === 'error');
  // Validators end with 1 for the errors that they report; anything else is a failure of their own.
  const passes = output.exitCode === 1 && spared > 0 && !isLeft;
  return { ...output, results, ...(passes && { exitCode: 0 }) };
}

function isMeant(
  { resourceRef, subject }: ResultItem,
  wanted: GuardrailExemption['resources'],
  { subjects, unclear }: Judged,
): boolean {
  if (wanted === undefined) return true;
  const about = subject ?? resourceRef;
  if (about === undefined) return false;
  if (subject === undefined && unclear.some((list) => matches(about, list))) return false;
  return wanted.some((names) => matches(names, about) && !isAmbiguous(names, subjects));
}

function matches(names: ResourceNames, about: ResourceNames): boolean {
  return (['apiVersion', 'kind', 'name', 'namespace'] as const).every(
    (field) => (names[field] ?? '') === '' || names[field] === about[field],
  );
}

/** Versions of one group serve the same resource. */
function isAmbiguous(names: ResourceNames, subjects: readonly ResourceNames[]): boolean {
  if (names.kind === undefined || names.name === undefined) return false;
  const meant = subjects.filter((one) => matches(names, one));
  return (
    new Set(meant.map(({ apiVersion = '', namespace = '' }) => `${groupOf(apiVersion)}/${namespace}`)).size >
    1
  );
}
