/** What is said where nothing evaluates policies of a kind. */
import type { FunctionOutput } from './function-runtime.ts';

type Refused = NonNullable<FunctionOutput['refused']>;

export const NO_REGO: Refused = {
  code: 'REGO_ABSENT',
  message: 'The policy cannot be judged here: compiled policies of Rego do not run here.',
  hint: 'Run it with the portico command or the App.',
};

export const NO_JUDGE: Refused = {
  code: 'CEL_ABSENT',
  message: 'The policy cannot be judged here: nothing here evaluates CEL.',
  hint: 'Run it with the portico command or the App.',
};
