/** What `spec.updates` of `.github/portico.yaml` may say. */
import { z } from 'zod';

import { ageText, custom, text } from './checked-text.ts';
import { parseFollow } from './follow.ts';
import { globProblem } from './glob.ts';
import { REPOSITORY_PATTERN } from './repository-name.ts';
import { scheduleProblem } from './schedule.ts';
import { timeZoneProblem } from './time-zone.ts';

const glob = text(globProblem);

const updateGroup = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/, 'must be lower-case letters, digits and dashes')
    .meta({ description: 'Part of the name of the branch, up to 40 characters.' }),
  packages: z.array(glob).min(1).max(100).meta({ description: 'Globs over package paths.' }),
});

export const updates = z.strictObject({
  follow: z
    .union([
      text((value) => {
        const follow = parseFollow(value);
        return typeof follow === 'string' ? follow : undefined;
      }),
      z.int().min(1).max(999_999_999),
    ])
    .optional()
    .meta({
      description: 'latest, none, channel/<name>, a SemVer range, or a pin such as v3.',
      default: 'latest',
    }),
  policy: z.enum(['CatalogProvided', 'SelfCertified']).optional().meta({
    description:
      'In a channel with a file. CatalogProvided: only where its edges lead. SelfCertified: to its head at once.',
    default: 'CatalogProvided',
  }),
  onWithdrawn: z.enum(['propose', 'ignore']).optional().meta({
    description:
      'In a channel with a file, at a revision that was withdrawn. propose: the way to the head, which may lead down. ignore: stay.',
    default: 'propose',
  }),
  schedule: text(scheduleProblem)
    .optional()
    .meta({ description: 'Five cron fields: the minutes at which updates may be created.' }),
  timeZone: text(timeZoneProblem)
    .optional()
    .meta({ description: 'Time zone of the schedule, such as Europe/Berlin.', default: 'UTC' }),
  minimumAge: ageText()
    .optional()
    .meta({ description: 'How old a revision must be before it is proposed: 30m, 12h, 3d, 2w.' }),
  soak: ageText().optional().meta({
    description:
      'In a channel with a file: how long a package stays at one step before the next one: 12h, 3d.',
  }),
  automerge: z
    .union([z.boolean(), z.enum(['none', 'patch', 'minor', 'major', 'all'])])
    .optional()
    .meta({ description: 'Largest step that merges itself once guardrails are green.', default: 'none' }),
  automergeFrom: z
    .array(z.string().regex(REPOSITORY_PATTERN, 'must be owner/name, such as acme/fleet, or owner/*'))
    .max(100)
    .optional()
    .meta({
      description:
        'Other repositories whose variant documents this one obeys (controlledBy): updates of their variants may merge themselves, too.',
    }),
  pullRequest: z.boolean().optional().meta({
    description:
      'false: what `automerge` allows comes to the branch without a pull request, where nothing asks for one. Needs `automerge`, and `publish.requireApprovals: 0`.',
    default: true,
  }),
  maxOpen: z
    .int()
    .min(0)
    .max(1000)
    .optional()
    .meta({ description: 'Open update pull requests at most.', default: 5 }),
  group: z
    .union([z.literal('all'), z.array(updateGroup).max(100).check(distinctGroups)])
    .optional()
    .meta({
      description: 'Packages that are updated together, by one pull request for each group; all: everything.',
    }),
  priority: z.array(glob).max(100).optional().meta({
    description: 'Globs over package paths: whose updates come first, in this order.',
  }),
  labels: z.array(text(labelProblem)).max(20).optional().meta({
    description:
      'Labels of update pull requests; missing labels are created. Default: portico, if the repository has that label.',
  }),
});

/** As the forge takes them; a comma would be two labels to a search. */
function labelProblem(label: string): string | undefined {
  return /^(?!\s)[^,\p{Cc}]{1,50}(?<!\s)$/u.test(label)
    ? undefined
    : 'must be a label of up to 50 characters without commas';
}

function distinctGroups(ctx: {
  readonly value: readonly { name: string }[];
  issues: z.core.$ZodRawIssue[];
}): void {
  const seen = new Set<string>();
  for (const [at, { name }] of ctx.value.entries()) {
    if (seen.has(name)) {
      ctx.issues.push(custom(name, `a group ${name} already exists`, [at, 'name']));
    }
    seen.add(name);
  }
}
