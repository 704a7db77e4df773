import type { RepositoryAccess } from '../ports.ts';
import type { Configuration } from '../repository/configuration.ts';
import { configCheckAt } from './config-check.ts';

/** Says on the default branch that the configuration there has mistakes; without mistakes nothing is said. */
export async function reportConfiguration(
  { git, forge }: RepositoryAccess,
  defaultBranch: string,
  configuration: Configuration,
  signal?: AbortSignal,
): Promise<void> {
  if (configuration.state === 'absent' || configuration.problems.length === 0) return;
  const head = await git.resolve(`refs/heads/${defaultBranch}`, signal);
  if (head === null) return;
  const inForce = configuration.state === 'registered';
  await forge.putCheck(configCheckAt(head, configuration.problems, inForce), signal);
}
