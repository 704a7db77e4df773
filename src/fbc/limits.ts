/** What one catalog may be: several times the largest that are published, small against a machine. */
export const MAX_CATALOG_CHARACTERS = 256 * 1024 * 1024;
export const MAX_DOCUMENTS = 200_000;
export const MAX_DEPTH = 100;
export const MAX_ENTRIES = 200_000;
/** Upgrade edges that are listed or drawn one by one; ranges over long channels make them by the million. */
export const MAX_EDGES = 200_000;
