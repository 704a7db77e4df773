/** Pure: what the onboarding pull request holds and says. */

import { pageAddress, schemaAddress } from '../../config/documentation-address.ts';
import { branchRuleset, tagRuleset, type Ruleset } from '../../config/ruleset.ts';
import { parseRevisionName } from '../../revision/revision-name.ts';
import { counted, isOrAre, notShown } from '../../text/counted.ts';
import { table } from '../../text/markdown.ts';
import type { RepositoryFacts } from '../forge/repository.ts';
import { code } from '../text/markdown-blocks.ts';

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

/** Packages that the onboarding pull request lists. */
const MAX_ROWS = 100;

/** The file that registers the repository, with what it was found to be. */
export function configurationText(
  { name, defaultBranch }: Pick<RepositoryFacts, 'name' | 'defaultBranch'>,
  packages: readonly FoundPackage[],
): string {
  const numbering = isSemver(packages) ? '  versioning: semver\n' : '';
  const schema = schemaAddress();
  const forEditors = schema === undefined ? '' : `# yaml-language-server: $schema=${schema}\n`;
  return `${forEditors}# Registers this repository with Portico.
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
  const left = notShown(packages.length - shown.length);
  const more = left === '' ? [] : [left];
  return [
    `This repository has ${counted(packages.length, 'kpt package')}, of which ${published} ${isOrAre(published)} published by tags. Merging this pull request registers it with Portico. Until then, Portico changes nothing else here.`,
    table(['package', 'newest revision', 'revisions'], rows),
    ...more,
    ...porchWords(porch),
    [
      '**What happens after the merge**',
      '',
      `- Portico renders and checks every pull request into ${code(branch)} that changes a package, and commits what rendering changes to its branch.`,
      '- Once it is approved, publish it with `/portico publish` or the merge button. Portico then tags its packages with the next number after the newest above.',
      '- The current state of the branch is not tagged. A package gets its next revision with the next proposal that changes it.',
      '- Packages that were cloned from repositories that Portico knows get update pull requests if `spec.updates.follow` is set in the file.',
      '- To stop using Portico, remove the file or the App. Tags and `refs/portico/published/` stay; nothing else is left behind.',
    ].join('\n'),
    ...(isPublic ? [] : [sharingWords(repository)]),
    protection(repository, branch, appId),
    'You can edit the file on this branch. **To decline, close this pull request**: it is not opened again. To register later, add the file yourself.',
    ...moreToRead(),
  ].join('\n\n');
}

function moreToRead(): string[] {
  const pages = [
    ['the lifecycle of a package', pageAddress('lifecycle')],
    ['all commands', pageAddress('commands')],
    ['questions and messages', pageAddress('questions')],
  ] as const;
  const links = pages.flatMap(([title, address]) =>
    address === undefined ? [] : [`[${title}](${address})`],
  );
  return links.length === 0 ? [] : [`More: ${links.join(', ')}.`];
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
    `**An administrator should run this once, after the merge.** The check \`portico\` waits until a proposal has its approvals. If a ruleset requires it, the merge button, auto-merge and a merge queue wait as well. Without a ruleset, unapproved merges are only flagged, and not published.`,
    `Require \`portico\`, with this App (${appId}) as its only source:`,
    create(branchRuleset(branch, appId)),
    'Allow only this App to create, move and delete revision tags:',
    create(tagRuleset(appId)),
  ].join('\n\n');
}

/** What of a repository that is not public goes into others: nothing, until both say so. */
function sharingWords(repository: string): string {
  const owner = repository.slice(0, repository.indexOf('/'));
  return [
    '**Other private repositories**',
    '',
    'Packages move between this repository and another private one only if both configurations agree:',
    '',
    `- for some repositories: \`sharing: { to: [${owner}/…], from: [${owner}/…] }\` in the file here, and the reverse, with ${code(repository)}, there;`,
    `- for all repositories of ${code(owner)}: \`sharing: { within: organization }\`, once in the defaults of the organisation (\`.github/portico.yaml\` of ${code(`${owner}/.github`)}) or in each repository. Anyone who can write to one of them can then copy content from the others into it.`,
    `- \`controlledBy: [${owner}/…]\` names repositories whose variants and rollouts apply here.`,
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
    ['draft', 'drafts: to continue one, open a pull request from it'],
    ['proposed', 'proposed: each gets a pull request after the merge'],
    ['deletion-proposed', 'proposed deletions: each gets an issue after the merge'],
  ] as const;
  const items = lines.flatMap(([kind, what]) => (of(kind) === '' ? [] : [`- ${what}: ${of(kind)}`]));
  return [`A Porch server managed this repository. It left:\n\n${items.join('\n')}`];
}
