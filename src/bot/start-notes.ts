/** Pure: what an operator should know at the start, before somebody finds it out at a bad moment. */
import type { Environment } from '../config/environment.ts';

/** Sentences for the log of a server, each with what to do. */
export function startNotes(
  { sealKeys = [] }: Pick<Environment, 'sealKeys'>,
  machine: { readonly bubblewrap: boolean; readonly needsSandbox: boolean; readonly containers: boolean },
): readonly string[] {
  return [
    ...(sealKeys.length > 0
      ? []
      : [
          "seals use the App's private key: set SEAL_KEYS before you replace that key, or approvals by comment and open updates must be made again",
        ]),
    ...(machine.bubblewrap
      ? []
      : [
          machine.needsSandbox
            ? 'bubblewrap is not installed or may make no namespaces: WebAssembly functions and compiled policies that a repository allows are refused; install it, or set PORTICO_WASM_SANDBOX=optional'
            : "bubblewrap is not installed or may make no namespaces, and PORTICO_WASM_SANDBOX=optional: WebAssembly functions that a repository allows are held by Node's permissions alone, which do not deny the network",
        ]),
    ...(machine.containers
      ? []
      : ['PORTICO_CONTAINERS is not set: functions that a repository allows as containers are refused']),
  ];
}
