/** Says of a path relative to the package whether its `.krmignore` hides it from reading. */
export type IgnoreMatcher = (path: string) => boolean;

/**
 * Reads a `.krmignore`: the subset of gitignore that kpt knows (comments, `!`, `/` anchors, trailing `/`, `*`, `?`, `**`).
 * Only YAML files are hidden by it; the caller decides which files to ask about.
 */
export function readKrmignore(_text: string): IgnoreMatcher {
  return () => false;
}
