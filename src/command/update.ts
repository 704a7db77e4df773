import { closestWord } from '../package/closest-word.ts';
import { latestRevision } from '../revision/numbering.ts';
import { parsePackageAtRevision } from '../revision/package-at-revision.ts';
import { compareRevisions, parseRevisionName } from '../revision/revision-name.ts';
import { upstreamText } from '../text/revision-text.ts';
import { shown } from './arguments.ts';
import type { UpdateChoice } from './command-state.ts';
import type { AnywhereCommand, Decision } from './command.ts';
import { isIssue, isOpenUpdate } from './fits.ts';
import { type Refusal, refuse } from './refusal.ts';

export const update: AnywhereCommand = {
  name: 'update',
  usage: 'update [[<repository>:]<package>] [<revision>|<source>@<version>|latest]',
  summary: 'Update a package to an upstream revision with a three-way merge, or its sources to a version.',
  examples: [
    {
      line: '/portico update',
      does: 'updates the package of this pull request to the newest upstream revision',
    },
    { line: '/portico update v3', does: 'updates it to v3' },
    {
      line: '/portico update 1.4.0',
      does: 'in a package with one source and no upstream: updates the source to this version, which must be in its range',
    },
    {
      line: '/portico update chart@1.4.0',
      does: 'also names the source, which is needed if there are several',
    },
    {
      line: '/portico update web@v3',
      does: 'also names the package, which is needed in an issue if there are several',
    },
    {
      line: '/portico update web@v4',
      does: 'brings v4 although its rollout is stopped or its wave is not open',
    },
    {
      line: '/portico update acme/edge-7:web@v4',
      does: 'the same for web in the repository acme/edge-7, with the rights that you have there',
    },
  ],
  accepts: { positional: 2 },
  minimumRole: 'write',
  mayAlso: [],
  reachesElsewhere: true,
  contexts: 'pull-or-issue',
  guard: 'head',
  fits: (state) => isIssue(state) || isOpenUpdate(state),
  decide({ updates, hold }, { positional }) {
    const wish = wishOf(positional, updates);
    if ('kind' in wish) return wish;
    const choice = chosen(wish.package, updates);
    return 'kind' in choice ? choice : moveTo(choice, wish.revision, hold !== undefined);
  },
};

interface Wish {
  readonly package: string | undefined;
  readonly revision: string;
}

/** `web@v3`, `web v3`, `web`, `v3`, `latest` or nothing. */
function wishOf(words: readonly string[], updates: readonly UpdateChoice[]): Wish | Refusal {
  const [first, second] = words;
  if (first === undefined) return { package: undefined, revision: 'latest' };
  if (second !== undefined) return { package: first, revision: second };
  const both = parsePackageAtRevision(first);
  const named = (path: string): boolean => updates.some((choice) => choice.package === path);
  // `chart@1.2.0` is about a source where no package of that name is meant.
  const version = sourceVersionOf(first);
  if (version !== undefined && version.source === undefined) return { package: undefined, revision: first };
  if (version?.source !== undefined && !named(version.source)) {
    const holders = updates.filter((choice) => mayHold(choice, version.source));
    const [holder = onlyBySources(updates), another] = holders;
    if (another !== undefined) return whichPackage(holders, `<package> ${first}`);
    if (holder !== undefined) return { package: holder.package, revision: first };
  }
  if (both !== undefined) return { package: both.path, revision: both.revision };
  if (named(first)) return { package: first, revision: 'latest' };
  if (first === 'latest' || parseRevisionName(first) !== undefined)
    return { package: undefined, revision: first };
  const hint = 'Name a package with an upstream, a revision such as v3, or both as package@v3.';
  return refuse(
    'bad-argument',
    `${shown(first)} is neither a revision nor a package with an upstream here`,
    hint,
  );
}

function chosen(path: string | undefined, updates: readonly UpdateChoice[]): UpdateChoice | Refusal {
  const found = path === undefined ? updates : updates.filter((choice) => choice.package === path);
  const [only, another] = found;
  if (only === undefined) {
    const message =
      path === undefined
        ? 'no package here has an upstream or sources'
        : `${shown(path)} has neither an upstream nor sources here`;
    const near = closestWord(
      path ?? '',
      updates.map((choice) => choice.package),
    );
    const meant = near === undefined ? '' : `Did you mean ${shown(near)}? `;
    const hint =
      'Only a package that was cloned from another, or takes content from elsewhere, can be updated.';
    return refuse('no-upstream', message, `${meant}${hint}`);
  }
  return another === undefined ? only : whichPackage(found);
}

/** Packages and sources that a refusal lists. */
const MAX_LISTED = 20;

function whichPackage(found: readonly UpdateChoice[], words = '<package>'): Refusal {
  const names = found.slice(0, MAX_LISTED).map((choice) => shown(choice.package));
  return refuse(
    'which-package',
    `several packages can be updated: ${names.join(', ')}`,
    `Name one of them: /portico update ${words}.`,
  );
}

/** `1.4.0` and `chart@1.4.0`; undefined for what is no version of a source. */
function sourceVersionOf(
  word: string,
): { readonly source: string | undefined; readonly version: string } | undefined {
  const [, source, version = ''] = /^(?:([a-z0-9-]+)@)?(v?\d+\.\d+\.\d+\S*)$/.exec(word) ?? [];
  return version === '' ? undefined : { source, version };
}

/** The package that is meant where there is no other. */
function onlyBySources([only, another]: readonly UpdateChoice[]): UpdateChoice | undefined {
  return only?.bySources === true && another === undefined ? only : undefined;
}

function mayHold({ bySources, sources }: UpdateChoice, source: string | undefined): boolean {
  return bySources === true && (sources === undefined || source === undefined || sources.includes(source));
}

/** The sources of a package, moved to what is wanted. What there is elsewhere is not known here: whoever makes the update looks, and answers. */
function moveSources(choice: UpdateChoice, wanted: string): Decision {
  const { package: path, sources = [] } = choice;
  const { source, version } = sourceVersionOf(wanted) ?? {};
  const [one = 'SOURCE', another] = sources;
  const names = sources.slice(0, MAX_LISTED).map(shown).join(', ');
  const hint = `Name one of them: /portico update ${path} ${one}@${version}.`;
  if (version !== undefined && source === undefined && another !== undefined)
    return refuse('which-source', `${shown(path)} has several sources: ${names}`, hint);
  if (source !== undefined && !mayHold(choice, source)) {
    const message = `${shown(path)} has no source ${shown(source)} that can be updated`;
    return sources.length === 0
      ? refuse('no-such-source', message, 'Its sources are pinned to what cannot change.')
      : refuse('no-such-source', `${message}; it has ${names}`, hint);
  }
  return { kind: 'do', steps: [{ do: 'request-update', package: path, to: wanted }] };
}

/** `isHeld`: a rollout holds what the branch has, and asking for that very revision releases it. */
function moveTo(choice: UpdateChoice, wanted: string, isHeld: boolean): Decision {
  if (choice.bySources === true) return moveSources(choice, wanted);
  const published = choice.available.map(parseRevisionName).filter((name) => name !== undefined);
  const newest = latestRevision(published);
  const to =
    wanted === 'latest' ? newest : published.find(({ name }) => name === wanted || name === `v${wanted}`);
  if (to === undefined) {
    const message =
      newest === undefined
        ? `${shown(choice.upstream)} has no published revision`
        : `${shown(choice.upstream)} has no revision ${shown(wanted)}`;
    return refuse(
      'no-such-revision',
      message,
      newest === undefined ? 'Publish one first.' : `The newest is ${newest.name}.`,
    );
  }
  if (to.name === choice.current && !isHeld) {
    return refuse(
      'up-to-date',
      `${shown(choice.package)} is already at ${upstreamText(to.name)}`,
      'There is nothing to do.',
    );
  }
  const current = choice.current === undefined ? undefined : parseRevisionName(choice.current);
  const isBack = current !== undefined && compareRevisions(to, current) < 0;
  if (isBack && choice.isRolledBack !== true) {
    const message = `${shown(choice.package)} is at ${upstreamText(current.name)}, which is newer than ${upstreamText(to.name)}`;
    const hint = `Updates only go forward. To go back, use /portico rollback with a revision of ${shown(choice.package)}.`;
    return refuse('older-revision', message, hint);
  }
  return { kind: 'do', steps: [{ do: 'request-update', package: choice.package, to: to.name }] };
}
