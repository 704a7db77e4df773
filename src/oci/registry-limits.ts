/** What one registry may take of us. */
export interface RegistryLimits {
  /** Bytes of one layer or configuration. */
  readonly blobBytes: number;
  /** Bytes of all layers of one artefact. */
  readonly totalBytes: number;
  readonly tags: number;
  /** How often one request is sent, and how long it may take each time. */
  readonly attempts: number;
  readonly requestMs: number;
  /** The first pause before a request is sent again; the next ones are twice as long each. */
  readonly pauseMs: number;
  /** The longest pause that a registry may ask for; past it the caller has to come again. */
  readonly longestPauseMs: number;
  readonly redirects: number;
  /** Content larger than this is uploaded in parts of this size. */
  readonly chunkBytes: number;
}

const MEBIBYTE = 1024 * 1024;

export const REGISTRY_LIMITS: RegistryLimits = {
  blobBytes: 64 * MEBIBYTE,
  totalBytes: 256 * MEBIBYTE,
  tags: 10_000,
  attempts: 5,
  requestMs: 300_000,
  pauseMs: 500,
  longestPauseMs: 60_000,
  redirects: 5,
  chunkBytes: 8 * MEBIBYTE,
};
