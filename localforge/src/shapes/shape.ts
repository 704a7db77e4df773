/** A JSON object on its way out. The contract tests hold it against GitHub's description. */
export type Shape = Record<string, unknown>;
