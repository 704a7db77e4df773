import type { ContainerSettings } from './container/settings.ts';
import { type Limits } from './sandbox/limits.ts';

export interface RuntimeOptions {
  /** Let `exec:` entries start programs. Only for a person's own terminal, never for a server. */
  readonly allowExec?: boolean;
  /** Where exec programs run; the process' own directory when absent. */
  readonly workingDirectory?: string;
  /** Where the environment of exec programs is taken from; the process' own when absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Whether programs can be confined here; asks bubblewrap when absent. */
  readonly hasSandbox?: () => Promise<boolean>;
  /** Refuse WebAssembly where no sandbox denies it the network. For servers, which run what strangers may choose. */
  readonly needsSandbox?: boolean;
  /** In the place of the usual limits of exec programs. */
  readonly execLimits?: Partial<Limits>;
  /** The registry of images that name none, as kpt's option of this name; absent, they are those of kpt's catalog. */
  readonly imagePrefix?: string;
  /** How containers are started; absent, none is. */
  readonly containers?: ContainerSettings;
  /** In the place of the usual limits of wasm modules and containers. */
  readonly foreignLimits?: Partial<Limits>;
}
