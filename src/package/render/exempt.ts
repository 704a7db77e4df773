/** What a guardrail finds where a reviewed exemption says that it may be so, for a time. */
import type { FunctionOutput, ResultItem } from './function-runtime.ts';

/** An exemption as it concerns one guardrail of one package. */
export interface GuardrailExemption {
  readonly name: string;
  readonly until: string;
  readonly why: string;
  /** Only these; absent: all that the guardrail finds in the package. */
  readonly resources?: readonly ResourceNames[];
}

/** All fields that are there must match. */
export interface ResourceNames {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
}

/** The tag of a result that names the exemption for which it does not count. */
export const EXEMPTION_TAG = 'exemption';

/**
 * Findings that are exempt only inform, with the reason. Where nothing else was wrong, the validator has passed; one that
 * was refused, or crashed, has not.
 */
export function exempted(output: FunctionOutput, exemptions: readonly GuardrailExemption[]): FunctionOutput {
  if (exemptions.length === 0 || output.refused !== undefined) return output;
  let spared = 0;
  const results = output.results.map((result): ResultItem => {
    if (result.severity !== 'error' && result.severity !== 'warning') return result;
    const found = exemptions.find(({ resources }) => isMeant(result, resources));
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

function isMeant({ resourceRef }: ResultItem, wanted: GuardrailExemption['resources']): boolean {
  if (wanted === undefined) return true;
  return (
    resourceRef !== undefined &&
    wanted.some((names) =>
      (['apiVersion', 'kind', 'name', 'namespace'] as const).every(
        (field) => names[field] === undefined || names[field] === resourceRef[field],
      ),
    )
  );
}
