import type { ConfigProblem } from '../../config/config-problem.ts';
import { exemptionState, MAX_EXEMPT_DAYS } from '../../config/exemptions.ts';
import { isOfGuardrails } from '../../config/guardrail-config.ts';
import { defaultRepositoryConfig } from '../../config/parse-repository-config.ts';
import type { Exemption } from '../../config/repository-config.ts';
import { readYaml } from '../../config/yaml-place.ts';
import { PorticoError } from '../../error.ts';
import type { Pull } from '../forge/pulls.ts';
import type { RepositoryAccess } from '../ports.ts';
import { loadGuardrails, type LoadedGuardrails } from '../render/guardrails.ts';
import { CONFIGURATION_FILE, DOCUMENTS, readConfiguration } from '../repository/configuration.ts';
import { loadProposal, type ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { documentProblemsAt } from '../repository/variant-documents.ts';
import { configCheck, type ProposedConfig } from './config-check.ts';
import { tryConfiguration, type TrialWork } from './config-trial.ts';

/** The configuration of a proposal that changes it, or a file that it names, tried; null where it does not. */
export async function proposedConfig({
  access: { git },
  registered: { otherFiles, facts, config, base, head, files = head.oid },
  inForce,
  ...work
}: TrialWork & {
  readonly access: Pick<RepositoryAccess, 'git'>;
  readonly registered: ProposalSnapshot & { readonly files?: string };
  readonly inForce: LoadedGuardrails;
}): Promise<ProposedConfig | null> {
  const changed = new Set(otherFiles.map(({ path }) => path));
  const named = otherFiles.some(({ path }) => isOfGuardrails(config, path));
  const beside = [...changed].some((path) => path.startsWith(`${DOCUMENTS}/`));
  if (!changed.has(CONFIGURATION_FILE) && !named && !beside) return null;
  const at = { head: head.oid, defaultBranch: facts.defaultBranch, hasDocuments: beside };
  return configurationAt(work, git, at, { inForce, base, head: files });
}

/** The configuration of a commit with its mistakes, or what it would do to the packages that are there. */
async function configurationAt(
  work: TrialWork,
  git: RepositoryAccess['git'],
  at: {
    readonly head: string;
    readonly defaultBranch: string;
    /** Documents beside it are checked, too. */
    readonly hasDocuments: boolean;
  },
  sides: { readonly inForce: LoadedGuardrails; readonly base: string; readonly head: string },
): Promise<ProposedConfig> {
  const { ports, signal } = work;
  const { head, defaultBranch, hasDocuments } = at;
  const proposed = await readConfiguration(git, head, defaultBranch, signal);
  const bytes = await git.readFile(head, CONFIGURATION_FILE, signal);
  const places = bytes === null ? new Map() : guardrailPlaces(bytes);
  return {
    file: CONFIGURATION_FILE,
    problems: [
      ...(proposed?.problems ?? []),
      ...endlessExemptions(proposed?.config?.exemptions ?? [], ports.now()),
      ...(hasDocuments ? await documentProblemsAt(git, head, signal) : []),
    ],
    trial:
      proposed?.ok === true ? await tryConfiguration(work, git, { config: proposed.config, ...sides }) : null,
    placeOf: (guardrail) => places.get(guardrail) ?? { line: 1, column: 1 },
  };
}

/** Exemptions that would not count, because they end too late. */
function endlessExemptions(exemptions: readonly Exemption[], now: Date): ConfigProblem[] {
  return exemptions
    .filter((one) => exemptionState(one, now) === 'too-long')
    .map(({ name, file, until }) => ({
      code: 'out-of-range',
      file,
      path: 'spec.until',
      line: 1,
      column: 1,
      message: `the exemption ${name} lasts until ${until}, which is more than ${MAX_EXEMPT_DAYS} days from now`,
      hint: 'Choose an earlier day, and renew the document when it comes.',
    }));
}

/**
 * Checks the configuration of a pull request into the default branch, where packages are registered on another one:
 * nothing else in it is Portico's business.
 */
export async function checkConfigurationAlone(
  work: TrialWork,
  access: RepositoryAccess,
  number: number,
): Promise<void> {
  const { ports, signal } = work;
  const loaded = await loadProposal(access, number, { anyBase: true }, signal);
  if (loaded.kind === 'none') return;
  const { snapshot } = loaded;
  const { pull, config, facts, head } = snapshot;
  if (pull.state === 'closed' || pull.baseRef !== facts.defaultBranch) return;
  const base = await access.git.resolve(`refs/heads/${config.branch}`, signal);
  if (base === null) return;
  const inForce = await loadGuardrails({ git: access.git, config, base, now: ports.now(), signal });
  // Files that guardrails name are read from the registered branch, whatever stands beside the configuration.
  const registered = { ...snapshot, base, files: base };
  const proposed = await proposedConfig({ ...work, access, registered, inForce });
  if (proposed === null) return;
  const commit = { headSha: head.oid, externalId: head.oid, status: 'completed' } as const;
  await access.forge.putCheck({ ...configCheck(proposed), ...commit }, signal);
}

/**
 * Checks the configuration that the pull request of the onboarding brings, as people may have changed it, on the packages that the
 * repository holds. Nothing is in force there yet.
 */
export async function checkOffer(
  work: TrialWork,
  { git, forge }: Pick<RepositoryAccess, 'git' | 'forge'>,
  offer: Pull,
): Promise<void> {
  const { ports, signal } = work;
  const facts = offer.baseRepository ?? (await forge.get(signal));
  const base = await git.resolve(`refs/heads/${facts.defaultBranch}`, signal);
  const head = await git.resolve(offer.headSha, signal);
  if (base === null || offer.baseRef !== facts.defaultBranch) return;
  if (head === null)
    throw new PorticoError('HEAD_NOT_FETCHED', `git does not have the head of #${offer.number} yet`, {
      blame: 'forge',
    });
  const nothing = defaultRepositoryConfig(facts.defaultBranch);
  const inForce = await loadGuardrails({ git, config: nothing, base, now: ports.now(), signal });
  const at = { head, defaultBranch: facts.defaultBranch, hasDocuments: true };
  const proposed = await configurationAt(work, git, at, { inForce, base, head });
  const commit = { headSha: head, externalId: head, status: 'completed' } as const;
  await forge.putCheck({ ...configCheck(proposed), ...commit }, signal);
}

/** Where each guardrail's name stands in the file. */
function guardrailPlaces(bytes: Uint8Array): Map<string, { readonly line: number; readonly column: number }> {
  const places = new Map<string, { readonly line: number; readonly column: number }>();
  const { data, placeOf } = readYaml(CONFIGURATION_FILE, bytes);
  for (const list of ['mutators', 'validators'] as const) {
    const entries = (data as { spec?: { guardrails?: Partial<Record<typeof list, { name?: unknown }[]>> } })
      ?.spec?.guardrails?.[list];
    for (const [at, entry] of (Array.isArray(entries) ? entries : []).entries()) {
      const path = ['spec', 'guardrails', list, at, 'name'];
      if (typeof entry?.name === 'string') places.set(entry.name, placeOf(path));
    }
  }
  return places;
}
