/** What `npm run cluster` has made for the tests of this folder. */

/** Where the programs of the control plane are; absent in `npm test`. */
export const PROGRAMS = process.env['PORTICO_CLUSTER'];
/** The control group for what a node starts; absent where there can be no node. */
export const GROUP = process.env['PORTICO_CLUSTER_GROUP'];
export const HAS_NODE = GROUP !== undefined;
