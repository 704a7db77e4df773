/** A family of golden cases, and how its tool is asked. Its cases lie in `test/corpus/NAME/`. */
export interface Family {
  readonly name: string;
  /** The tools of `tools.ts` that its cases may name. */
  readonly tools: readonly string[];
  /**
   * Asks the tool of one case.
   *
   * @param one the case as data, without its result
   * @param program the tool's program
   * @returns the fields that hold the result (`expected`, for example): they replace those of the case
   */
  readonly ask: (one: Readonly<Record<string, unknown>>, program: string) => Promise<Record<string, unknown>>;
}
