/** The ports of the reconcilers, as the server fulfils them. */

import { sealSecrets } from '../config/secrets.ts';
import { containerSettings } from '../function/container/settings.ts';
import { createRuntime } from '../function/runtime.ts';
import type { ContentWork } from '../isolation/content.ts';
import { createToolMachine } from '../processors/tool-machine.ts';
import { createMemories } from '../reconcile/memories.ts';
import type { Ports, RepositoryRef } from '../reconcile/ports.ts';
import { createKeyring } from '../revision/keyring.ts';
import { VERSION } from '../version.ts';
import type { BotOptions } from './bot-options.ts';
import { boundTo } from './bound-git.ts';
import type { Connections } from './connections.ts';
import { pullKey } from './handlers.ts';
import type { Running } from './running.ts';
import { createSources } from './sources.ts';

/** What the ports stand on beside the connections. */
export interface PortParts extends Pick<
  Ports,
  'catalog' | 'exchange' | 'open' | 'runExclusive' | 'enqueue' | 'askedAt' | 'traces'
> {
  readonly content: ContentWork['content'];
  readonly running: Running;
}

export function createPorts(
  { environment, log, metrics, only, once }: BotOptions,
  { budget, forge, identity, inside, mirrors, organizations, registries, askUrl, notify }: Connections,
  { running, ...parts }: PortParts,
): Ports {
  const containers = containerSettings(process.env);
  return {
    ...parts,
    memories: createMemories(),
    openAddress: async (url, signal, credential) =>
      boundTo(0, await mirrors.openAddress(url, signal, credential)),
    cancel: ({ id }, number) => running.cancel(pullKey({ repository: { id }, number })),
    async repositories(signal) {
      organizations.forget();
      const found: RepositoryRef[] = [];
      for (const installation of await forge.installations(signal)) {
        if (installation.suspended) continue;
        for (const { id, owner, name } of await forge.repositories(installation.id, signal)) {
          if (only?.has(id) !== false) found.push({ installationId: installation.id, id, owner, name });
        }
      }
      return found;
    },
    repositoryAt: async (owner, name, signal) => (await forge.repositoryAt(owner, name, signal))?.id ?? null,
    pruneMirrors: (present) => mirrors.pruneMirrors(present),
    failedDeliveries: async (since, signal) =>
      only === undefined && once === undefined ? forge.failedDeliveries(since, signal) : [],
    redeliver: (id, signal) => forge.redeliver(id, signal),
    secondsUntilContentAllowed: (installationId) => budget.eta(installationId),
    ...(environment.dashboardSeconds !== undefined && { dashboardSeconds: environment.dashboardSeconds }),
    sweepMinutes: environment.sweepMinutes,
    ...(environment.settleSeconds !== undefined && { settleSeconds: environment.settleSeconds }),
    registries,
    sources: createSources({
      file: environment.credentialsFile,
      inside,
      calls: parts.content.sources,
      machine: createToolMachine({ needsSandbox: true }),
      sweepMinutes: environment.sweepMinutes,
      sourceMinutes: environment.sourceMinutes,
    }),
    askUrl,
    ...(notify && { notify }),
    runtime: createRuntime({
      needsSandbox: process.env['PORTICO_WASM_SANDBOX'] !== 'optional',
      ...(containers !== undefined && { containers }),
    }),
    builtins: createRuntime({}),
    runtimeVersion: `portico ${VERSION}`,
    app: identity.app,
    seals: createKeyring(sealSecrets(environment)),
    now: () => new Date(),
    log,
    metrics,
  };
}
