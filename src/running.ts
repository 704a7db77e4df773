/** Work that a person may end: one piece for each key, in this process. */
export interface Running {
  /** Does the work; where it is cancelled it ends quietly, where `signal` is aborted it fails with that reason. */
  run(key: string, work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void>;
  /** False where nothing of this key is being done. */
  cancel(key: string): boolean;
}

export function createRunning(): Running {
  const controllers = new Map<string, AbortController>();
  return {
    async run(key, work, signal) {
      const own = new AbortController();
      controllers.set(key, own);
      try {
        await work(AbortSignal.any([signal, own.signal]));
      } catch (error) {
        if (!own.signal.aborted || signal.aborted) throw error;
      } finally {
        controllers.delete(key);
      }
    },
    cancel(key) {
      const own = controllers.get(key);
      own?.abort(new Error('cancelled by a person'));
      return own !== undefined;
    },
  };
}
