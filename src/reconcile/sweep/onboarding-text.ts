/** Pure: what the onboarding pull request holds and says. */
import { branchRuleset, tagRuleset, type Ruleset } from '../../config/ruleset.ts';
import { parseRevisionName } from '../../revision/revision-name.ts';
import type { RepositoryFacts } from '../forge/repository.ts';
import { code, table } from '../text/markdown-blocks.ts';

export interface FoundPackage {
  /** From the top of the repository. */
  readonly path: string;
  /** Oldest first. */
  readonly revisions: readonly string[];
  readonly newest?: string;
}

export interface OnboardingFound {
  readonly packages: readonly FoundPackage[];
  /** Branches of a Porch server. */
  readonly porch: readonly {
    readonly name: string;
    readonly kind: 'draft' | 'proposed' | 'deletion-proposed';
  }[];
  readonly branch: string;
  /** `owner/name`. */
  readonly repository: string;
  /** Of the App, which is the expected source of its checks. */
  readonly appId: number;
  readonly isPublic: boolean;
}

const MAX_ROWS = 100;

/** The file that registers the repository, with what it was found to be. */
export function configurationText(
  { name, defaultBranch }: Pick<RepositoryFacts, 'name' | 'defaultBranch'>,
  packages: readonly FoundPackage[],
): string {
  const numbering = isSemver(packages) ? '  versioning: semver\n' : '';
  return `# Registers this repository with Portico. Every field is described in docs/portico.schema.json of Portico.
apiVersion: config.portico.dev/v1alpha1
kind: Repository
metadata:
  name: ${JSON.stringify(name)}
spec:
  branch: ${JSON.stringify(defaultBranch)}
${numbering}  publish:
    requireApprovals: 1
`;
}

/** SemVer where every package that is published is numbered by it. */
function isSemver(packages: readonly FoundPackage[]): boolean {
  const newest = packages.flatMap((one) => (one.newest === undefined ? [] : [parseRevisionName(one.newest)]));
  return newest.length > 0 && newest.every((name) => name?.kind === 'semver');
}

/** The pull request's description; the same findings give the same text. */
export function onboardingBody(found: OnboardingFound): string {
  const { packages, porch, branch, repository, appId, isPublic } = found;
  const shown = packages.slice(0, MAX_ROWS);
  const published = packages.filter(({ revisions }) => revisions.length > 0).length;
  const rows = shown.map(({ path, revisions, newest }) => [
    code(path),
    newest === undefined ? 'not published' : code(newest),
    String(revisions.length),
  ]);
  const more =
    packages.length > shown.length ? [`${packages.length - shown.length} more are not shown.`] : [];
  return [
    `This repository holds ${packages.length} kpt package${packages.length === 1 ? '' : 's'}, of which ${published} ${published === 1 ? 'is' : 'are'} published by tags. Merging this registers it; until then Portico touches nothing else here.`,
    table(['package', 'newest revision', 'revisions'], rows),
    ...more,
    ...porchWords(porch),
    [
      '**After the merge**',
      '',
      `- A pull request into ${code(branch)} that changes a package is rendered and checked; what rendering changes is put on its branch as a commit.`,
      '- It is published once it is approved and merged: by `/portico publish` or the merge button. Then its packages are tagged, with the number after the newest above.',
      '- Nothing that stands on the branch now is tagged: a package gets its next revision by the next proposal that changes it.',
      '- Packages that were cloned from repositories that Portico knows get update pull requests, if `spec.updates.follow` in the file says so.',
      '- Removing the file, or the App, ends it: tags and `refs/portico/published/` stay, and nothing else is left behind.',
    ].join('\n'),
    ...(isPublic ? [] : [sharingWords(repository)]),
    protection(repository, branch, appId),
    'Edit the file on this branch as you like. **Closing this pull request means no**: it is not opened again; to register later, add the file yourself.',
  ].join('\n\n');
}

/** How an administrator makes the forge keep the rule; Portico does not ask for the right to. */
function protection(repository: string, branch: string, appId: number): string {
  const create = (ruleset: Ruleset): string =>
    [
      '```sh',
      `gh api --method POST repos/${repository}/rulesets --input - <<'JSON'`,
      JSON.stringify(ruleset, null, 2),
      'JSON',
      '```',
    ].join('\n');
  return [
    `**To be run once by an administrator, after the merge.** The check \`portico\` waits until a proposal has its approvals. Required by a ruleset, it makes the merge button, auto-merge and a merge queue wait as well; without one, what is merged past it is only flagged, and not published.`,
    `Require \`portico\`, with this App (${appId}) as its only source:`,
    create(branchRuleset(branch, appId)),
    'Let this App alone make, move and delete the tags of revisions:',
    create(tagRuleset(appId)),
  ].join('\n\n');
}

/** What of a repository that is not public goes into others: nothing, until both say so. */
function sharingWords(repository: string): string {
  const owner = repository.slice(0, repository.indexOf('/'));
  return [
    '**Other private repositories**',
    '',
    'Packages of this repository go into another private one, and those of that one come here, only where the configurations of both agree:',
    '',
    `- with some: \`sharing: { to: [${owner}/…], from: [${owner}/…] }\` in the file here, and the other way round, with ${code(repository)}, there;`,
    `- with all that ${code(owner)} has: \`sharing: { within: organization }\`, once in the defaults of the organisation (\`.github/portico.yaml\` of ${code(`${owner}/.github`)}) or in each. Whoever may write to one of them can then bring what is in the others there.`,
    `- \`controlledBy: [${owner}/…]\` names repositories whose variants and rollouts are obeyed here.`,
  ].join('\n');
}

function porchWords(porch: OnboardingFound['porch']): string[] {
  if (porch.length === 0) return [];
  const of = (kind: OnboardingFound['porch'][number]['kind']): string =>
    porch
      .filter((one) => one.kind === kind)
      .slice(0, 20)
      .map(({ name }) => code(name))
      .join(', ');
  const lines = [
    ['draft', 'drafts: open a pull request from one to go on'],
    ['proposed', 'proposed: each gets a pull request after the merge'],
    ['deletion-proposed', 'proposed deletions: each gets an issue after the merge'],
  ] as const;
  const told = lines.flatMap(([kind, what]) => (of(kind) === '' ? [] : [`- ${what}: ${of(kind)}`]));
  return [`A Porch server has managed this repository. It left:\n\n${told.join('\n')}`];
}
