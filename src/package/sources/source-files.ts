/** Where a package says what of it comes from elsewhere: beside its Kptfile. */
export const SOURCES_FILE = 'portico-sources.yaml';
/** What each of its sources came to. */
export const SOURCES_LOCK_FILE = 'portico-sources.lock.yaml';

/** True for a `portico-sources.yaml` with processors, which build charts and kustomizations; a mistake in it has a check of its own. */
export function sourcesBuild(bytes: Uint8Array): boolean {
  return /^[ \t]*processors:/m.test(new TextDecoder().decode(bytes));
}
