/** What is said where nothing evaluates policies of a kind. */

export const NO_REGO = {
  code: 'REGO_ABSENT',
  message: 'The policy cannot be judged here: compiled policies of Rego do not run here.',
  hint: 'Run it with the portico command or the App.',
};

export const NO_JUDGE = {
  code: 'CEL_ABSENT',
  message: 'The policy cannot be judged here: nothing here evaluates CEL.',
  hint: 'Run it with the portico command or the App.',
};
