/** What one archive may be. Real charts and bundles have some megabytes and some hundred files. */
export interface ArchiveLimits {
  /** Bytes of the archive itself. */
  readonly archiveBytes: number;
  /** Bytes of all files together, unpacked. */
  readonly totalBytes: number;
  readonly fileBytes: number;
  /** Files, directories and headers. */
  readonly entries: number;
  readonly depth: number;
  /** How many times larger the content may be than the archive, past the first `freeBytes`. */
  readonly ratio: number;
  readonly freeBytes: number;
}

const MEBIBYTE = 1024 * 1024;

export const ARCHIVE_LIMITS: ArchiveLimits = {
  archiveBytes: 64 * MEBIBYTE,
  totalBytes: 256 * MEBIBYTE,
  fileBytes: 16 * MEBIBYTE,
  entries: 20_000,
  depth: 100,
  ratio: 200,
  freeBytes: 8 * MEBIBYTE,
};

/** How many bytes an archive may unpack to. */
export function mostUnpacked(archiveBytes: number, limits: ArchiveLimits): number {
  return Math.min(limits.totalBytes, Math.max(limits.freeBytes, archiveBytes * limits.ratio));
}
