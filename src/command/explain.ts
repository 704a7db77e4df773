import { whoMay } from './authorize.ts';
import type { CommandState, PullPlace } from './command-state.ts';
import type { AnywhereCommand } from './command.ts';
import { publish } from './publish.ts';
import { onlyRemoves, requirements, type Requirement } from './readiness.ts';
import { refuse } from './refusal.ts';
import { explainRetirements } from './retirement.ts';

export const explain: AnywhereCommand = {
  name: 'explain',
  usage: 'explain',
  summary: 'Tell what this proposal still needs, who can do it, and what comes next.',
  examples: [{ line: '/portico explain', does: 'shows what is there and what is missing' }],
  accepts: {},
  minimumRole: 'read',
  mayAlso: ['author'],
  contexts: 'pull-or-issue',
  // What was published or closed can be explained too.
  guard: 'none',
  fits: ({ place }) => place.kind === 'pull',
  decide(state) {
    const { place } = state;
    if (place.kind === 'pull') return { kind: 'do', steps: [], reply: explanation(state, place) };
    const asked = explainRetirements(state);
    if (asked !== undefined) return { kind: 'do', steps: [], reply: asked };
    return refuse('wrong-place', 'nothing is proposed in this issue', 'Say it in a pull request.');
  },
};

/** The state of a pull request as a tree in Markdown. No line starts with the prefix of commands. */
function explanation(state: CommandState, pull: PullPlace): string {
  const { packages } = state;
  if (pull.merged)
    return 'It is merged. Each package that it changed has its revision, or gets it now; the tag says who asked and who approved.';
  if (pull.state === 'closed') {
    return 'It is closed and was not merged: nothing of it is published. Reopen it to go on.';
  }
  const needed = [...requirements(state, pull), ...rulesOfBranch(pull)];
  const [forProposing, forPublishing] = [
    needed.filter(({ stage }) => stage === 'propose'),
    needed.filter(({ stage }) => stage === 'publish'),
  ];
  const newest = packages.map(
    ({ path, newest: revision }) =>
      `\`${path}\`${revision === undefined ? ' (not published yet)' : ` (newest: ${revision})`}`,
  );
  return [
    `**${nameOf(state, pull)}**${newest.length === 0 ? '' : ` of ${newest.join(', ')}`} into \`${pull.baseRef}\``,
    [group('To be proposed', forProposing), group('To be published', forPublishing)].join('\n'),
    `**Next:** ${next(state, needed)}`,
  ].join('\n\n');
}

/**
 * What the forge asks for by itself. It is told and not decided on: the forge computes it now and then, and says no by
 * itself when it is merged.
 */
function rulesOfBranch({ heldBack, baseRef, draft }: PullPlace): Requirement[] {
  if (heldBack === undefined || draft) return [];
  const behind = heldBack === 'behind';
  return [
    {
      code: 'branch-rules',
      stage: 'publish',
      satisfied: false,
      message: behind
        ? `\`${baseRef}\` wants it to be up to date`
        : `rules of \`${baseRef}\` are not satisfied, the forge says`,
      hint: behind
        ? 'Press "Update branch".'
        : 'The merge box of the pull request names them: reviews, checks or whatever else the branch asks for.',
      who: '',
    },
  ];
}

function nameOf({ packages }: CommandState, { draft }: PullPlace): string {
  if (onlyRemoves({ packages })) return draft ? 'Draft of a deletion' : 'Proposed deletion';
  return draft ? 'Draft' : 'Proposal';
}

function group(title: string, needed: readonly Requirement[]): string {
  const done = needed.every(({ satisfied }) => satisfied);
  const lines = needed.map(({ satisfied, message, hint, who }) => {
    if (satisfied) return `  - ✅ ${message}`;
    const may = who === '' ? '' : ` Who can: ${who}.`;
    return `  - ❌ ${message}. ${hint}${may}`;
  });
  return [`- ${done ? '✅' : '⬜'} **${title}**`, ...lines].join('\n');
}

function next({ config, packages }: CommandState, needed: readonly Requirement[]): string {
  const first = needed.find(({ satisfied }) => !satisfied);
  if (first !== undefined) return first.hint === '' ? `${first.message}.` : `${first.message}. ${first.hint}`;
  const command =
    config.versioning === 'semver' && !onlyRemoves({ packages }) ? 'publish major|minor|patch' : 'publish';
  return `\`/portico ${command}\` (${whoMay(config, publish)}), or the merge button.`;
}
