/** What `WWW-Authenticate` asks for (RFC 9110, section 11). */

export interface Challenge {
  /** In lower case: `bearer` or `basic`. */
  readonly scheme: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** A name with its value, or a name alone, which begins the next challenge. */
const PART = /[\s,]*([A-Za-z0-9_-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))?/y;

/** Every challenge of the header; what cannot be read ends the list. */
export function parseChallenges(header: string): readonly Challenge[] {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  PART.lastIndex = 0;
  for (let match = PART.exec(header); match !== null; match = PART.exec(header)) {
    const [, name = '', quoted, plain] = match;
    const value = quoted?.replaceAll(/\\(.)/g, '$1') ?? plain;
    if (value === undefined) challenges.push({ scheme: name.toLowerCase(), parameters: new Map() });
    else challenges.at(-1)?.parameters.set(name.toLowerCase(), value);
  }
  return challenges;
}
