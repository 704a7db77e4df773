/** A package as its pipeline and the mutators among its guardrails write it. */
import type { RepositoryConfig } from '../../config/repository-config.ts';
import type { PackageFiles } from '../../package/package.ts';
import type { Git } from '../git-port.ts';
import type { Ports } from '../ports.ts';
import { runtimeFor } from './foreign-functions.ts';
import { loadGuardrails } from './guardrails.ts';

export interface RenderPlace {
  readonly git: Git;
  readonly config: RepositoryConfig;
  /** Commit of the registered branch whose configuration counts. */
  readonly base: string;
  /** Below the registered directory. */
  readonly path: string;
  /** False for a proposal from a fork. */
  readonly writable?: boolean;
}

export interface Rendered {
  readonly ok: boolean;
  readonly files: PackageFiles;
}

/** Renders one package as often as it is asked to; the guardrails are read once. */
export async function packageRenderer(
  ports: Pick<Ports, 'runtime' | 'content'>,
  { git, config, base, path, ...origin }: RenderPlace,
  signal?: AbortSignal,
): Promise<(files: PackageFiles) => Promise<Rendered>> {
  const loaded = await loadGuardrails({ git, config, base, now: null, signal });
  const guardrails = loaded.forPackage(path).filter(({ type }) => type === 'mutator');
  const runtime = runtimeFor(ports.runtime, loaded, origin);
  return (files) => ports.content.render({ files, runtime, guardrails, ...(signal && { signal }) });
}
