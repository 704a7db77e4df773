import { hereText } from '../text/revision-text.ts';
import { whoMay } from './authorize.ts';
import type { CommandState, PullPlace } from './command-state.ts';
import type { AnywhereCommand } from './command.ts';
import { publish } from './publish.ts';
import { onlyRemoves, requirements, type Requirement } from './readiness.ts';
import { explainRetirements } from './retirement.ts';

export const explain: AnywhereCommand = {
  name: 'explain',
  usage: 'explain',
  summary:
    'Show what this proposal still needs, who can provide it, and which work and updates wait; in an issue, those of the repository.',
  examples: [
    { line: '/portico explain', does: 'shows what is done, what is missing, and what is queued or failed' },
  ],
  accepts: {},
  minimumRole: 'read',
  mayAlso: ['author'],
  contexts: 'pull-or-issue',
  // What was published or closed can be explained too.
  guard: 'none',
  fits: ({ place }) => place.kind === 'pull',
  decide(state) {
    const { place } = state;
    const steps = [{ do: 'show-work' }] as const;
    if (place.kind === 'pull') return { kind: 'do', steps, reply: explanation(state, place) };
    const asked = explainRetirements(state);
    return asked === undefined ? { kind: 'do', steps } : { kind: 'do', steps: [], reply: asked };
  },
};

/** All that an open pull request needs, also of the forge. */
export function needsOf(state: CommandState, pull: PullPlace): readonly Requirement[] {
  return [...requirements(state, pull), ...rulesOfBranch(pull)];
}

/** The state of a pull request as a tree in Markdown. No line starts with the prefix of commands. */
function explanation(state: CommandState, pull: PullPlace): string {
  const { packages } = state;
  if (pull.merged)
    return 'It is merged. Each changed package has a revision, or will get one shortly; the tag records who requested and who approved it.';
  if (pull.state === 'closed') {
    return 'It was closed without merging, so nothing was published. Reopen it to continue.';
  }
  const needed = needsOf(state, pull);
  const [forProposing, forPublishing] = [
    needed.filter(({ stage }) => stage === 'propose'),
    needed.filter(({ stage }) => stage === 'publish'),
  ];
  const newest = packages.map(
    ({ path, newest: revision }) =>
      `\`${path}\`${revision === undefined ? ' (not published yet)' : ` (${hereText(revision)})`}`,
  );
  return [
    `**${nameOf(state, pull)}**${newest.length === 0 ? '' : ` of ${newest.join(', ')}`} into \`${pull.baseRef}\``,
    [group('Ready to propose', forProposing), group('Ready to publish', forPublishing)].join('\n'),
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
        ? `\`${baseRef}\` requires it to be up to date`
        : `the forge says that rules of \`${baseRef}\` are not satisfied`,
      hint: behind
        ? 'Press "Update branch".'
        : 'The merge box of the pull request lists what the branch requires, such as reviews and checks.',
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
  const open = needed.filter(({ satisfied }) => !satisfied);
  // Its hint is to merge, which comes last.
  const first = open.find(({ code }) => code !== 'no-package') ?? open[0];
  if (first !== undefined) return first.hint === '' ? `${first.message}.` : `${first.message}. ${first.hint}`;
  const command =
    config.versioning === 'semver' && !onlyRemoves({ packages }) ? 'publish major|minor|patch' : 'publish';
  return `\`/portico ${command}\` (${whoMay(config, publish)}), or the merge button.`;
}
