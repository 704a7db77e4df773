import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

import { PorticoError } from '../../error.ts';
import { clusterSettings, type ClusterSettings } from '../cluster/settings.ts';
import { splitCommand } from '../command-line.ts';

/** How containers are started: by a program of this machine, or as Jobs of a cluster. */
export type ContainerSettings = EngineSettings | ClusterSettings;

/** How a program of this machine starts them. */
export interface EngineSettings {
  /** Full path of docker, podman or nerdctl. */
  readonly program: string;
  readonly kind: Engine;
  /** Options of `run` that this machine needs. */
  readonly flags: readonly string[];
  /** What the program itself needs to find its daemon, its storage and its logins; no function sees it. */
  readonly env: Readonly<Record<string, string>>;
}

type Engine = (typeof ENGINES)[number];
type Variables = Readonly<Record<string, string | undefined>>;

const ENGINES = ['podman', 'docker', 'nerdctl'] as const;

const PASSED =
  /^(?:PATH|HOME|USER|LANG|TMPDIR|XDG_[A-Z_]+|DBUS_SESSION_BUS_ADDRESS|DOCKER_[A-Z_]+|CONTAINER_HOST|CONTAINERS_[A-Z_]+|REGISTRY_AUTH_FILE|(?:HTTPS?|NO|ALL)_PROXY|(?:https?|no|all)_proxy)$/;

/**
 * Reads `PORTICO_CONTAINERS` (`podman`, `docker`, `nerdctl`, `auto` for the first of them that is installed,
 * `kubernetes` for Jobs, `off`)
 * and `PORTICO_CONTAINER_FLAGS` (options of `run` that this machine needs). Undefined where containers are off, as
 * they are unless asked for.
 * @throws PorticoError CONTAINERS_INVALID for another word, a program that is not installed, or no cluster
 */
export function containerSettings(env: Variables): ContainerSettings | undefined {
  const wanted = env['PORTICO_CONTAINERS'] ?? '';
  if (wanted === '' || wanted === 'off') return undefined;
  if (wanted === 'kubernetes') return clusterSettings(env);
  const engines = wanted === 'auto' ? ENGINES : ENGINES.filter((engine) => engine === wanted);
  const hint = 'Set PORTICO_CONTAINERS to podman, docker, nerdctl, auto, kubernetes or off.';
  if (engines.length === 0)
    throw new PorticoError('CONTAINERS_INVALID', 'PORTICO_CONTAINERS names no container program', {
      blame: 'user',
      hint,
    });
  for (const kind of engines) {
    const program = (env['PATH'] ?? '')
      .split(delimiter)
      .filter(isAbsolute)
      .map((place) => join(place, kind))
      .find(isExecutable);
    if (program === undefined) continue;
    const passed = Object.entries(env).filter(
      (entry): entry is [string, string] => PASSED.test(entry[0]) && entry[1] !== undefined,
    );
    const flags = splitCommand(env['PORTICO_CONTAINER_FLAGS'] ?? '');
    return { program, kind, flags, env: Object.fromEntries(passed) };
  }
  throw new PorticoError('CONTAINERS_INVALID', `${engines.join(', ')}: not installed on this machine`, {
    blame: 'user',
    hint,
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
