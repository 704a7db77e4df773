/** How much one run of a foreign function may take. */
export interface Limits {
  readonly timeoutMs: number;
  /** Bytes on stdout, and likewise on stderr. */
  readonly outputBytes: number;
  /** Bytes of memory of all its processes together. */
  readonly memoryBytes: number;
  /** Processes at the same time. */
  readonly processes: number;
}

const MIB = 1024 * 1024;

/** Programs of a person's own machine: as generous as kpt where kpt has a limit. */
export const EXEC_LIMITS: Limits = {
  timeoutMs: 300_000,
  outputBytes: 32 * MIB,
  memoryBytes: 2048 * MIB,
  processes: 256,
};

export const WASM_LIMITS: Limits = {
  timeoutMs: 60_000,
  outputBytes: 16 * MIB,
  memoryBytes: 256 * MIB,
  processes: 32,
};

export const CONTAINER_LIMITS: Limits = {
  timeoutMs: 60_000,
  outputBytes: 16 * MIB,
  memoryBytes: 512 * MIB,
  processes: 128,
};

/** All foreign functions of one render together. */
export const RENDER_MS = 600_000;

/** What is kept of stderr, and shown of it at most. */
export const STDERR_KEPT = 64 * 1024;

/** The limits with those that one function asks for. */
export function limitsFor(
  limits: Limits,
  { timeoutSeconds, memoryMi }: { readonly timeoutSeconds?: number; readonly memoryMi?: number },
): Limits {
  return {
    ...limits,
    ...(timeoutSeconds === undefined ? {} : { timeoutMs: timeoutSeconds * 1000 }),
    ...(memoryMi === undefined ? {} : { memoryBytes: memoryMi * MIB }),
  };
}
