/** What `npm run cluster` has made for the tests of this folder. */

/** Where the programs of the control plane are; absent in `npm test`. */
export const PROGRAMS = process.env['PORTICO_CLUSTER'];
/** The control group for what a node starts; absent where there can be no node. */
export const GROUP = process.env['PORTICO_CLUSTER_GROUP'];
export const HAS_NODE = GROUP !== undefined;

/** The title of tests that need the programs, or a node, too; where they are skipped it says why. */
export function titled(title: string, need: 'control plane' | 'node'): string {
  if (PROGRAMS === undefined) return `${title} [npm run cluster]`;
  return need === 'node' && !HAS_NODE ? `${title} (no node: npm run cluster says what it lacks)` : title;
}
