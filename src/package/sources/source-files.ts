/** Where a package says what of it comes from elsewhere: beside its Kptfile. */
export const SOURCES_FILE = 'portico-sources.yaml';
/** What each of its sources came to. */
export const SOURCES_LOCK_FILE = 'portico-sources.lock.yaml';
