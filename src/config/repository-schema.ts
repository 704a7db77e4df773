/**
 * What `.github/portico.yaml` may say. One zod schema checks it and makes the JSON Schema that editors complete
 * from. Nothing here has a default: organisation defaults are merged in first, see parse-repository-config.ts.
 */

import { z } from 'zod';

import { COMMAND_NAMES } from '../command/table.ts';
import { mappedAddressProblem } from '../package/upstream-map.ts';
import { packagePathProblem } from '../revision/ref-name.ts';
import { refProblem } from '../revision/ref-rules.ts';
import { parseGrant } from './access.ts';
import { allowedUpstreamProblem } from './allowed-upstream.ts';
import { text, shortText, custom, ageText } from './checked-text.ts';
import { credentialName } from './credential-name.ts';
import { parseFollow } from './follow.ts';
import { allowedFunctions } from './function-schema.ts';
import { globProblem } from './glob.ts';
import { mutator, validator } from './guardrail-schema.ts';
import { ociSettings } from './oci-schema.ts';
import { REPOSITORY_NAME, REPOSITORY_PATTERN } from './repository-name.ts';
import { reportedDeployments, reportedStatuses } from './rollout-schema.ts';
import { scheduleProblem } from './schedule.ts';
import { timeZoneProblem } from './time-zone.ts';

const allowedAddress = text(allowedUpstreamProblem);

const directory = text((value) => {
  const path = value.replaceAll(/^\/+|(?<!\/)\/+$/g, '');
  return path === '' || path === '.' ? undefined : packagePathProblem(path)?.message;
});

const grant = text((value) => {
  const parsed = parseGrant(value);
  return typeof parsed === 'string' ? parsed : undefined;
});

const access = z
  .partialRecord(z.enum(COMMAND_NAMES), z.array(grant).max(100))
  .meta({ description: 'Command → roles, @org/team, @login or author. An empty list means no one.' });

const glob = text(globProblem);

const updateGroup = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/, 'must be lower-case letters, digits and dashes')
    .meta({ description: 'Part of the name of the branch, up to 40 characters.' }),
  packages: z.array(glob).min(1).max(100).meta({ description: 'Globs over package paths.' }),
});

const updates = z.strictObject({
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

const repositories = z
  .string()
  .regex(REPOSITORY_PATTERN, 'must be owner/name, such as acme/blueprints, or owner/*');

/** One by one: where people may create repositories, `owner/*` would let them name themselves. */
const oneRepository = z
  .string()
  .regex(REPOSITORY_NAME, 'must be owner/name, such as acme/canary; owner/* is not enough here');

const spec = z
  .strictObject({
    branch: text((value) => refProblem(value)?.message)
      .optional()
      .meta({ description: 'The registered branch; the default branch of the repository where absent.' }),
    directory: directory.optional().meta({ description: 'Directory that holds the packages.', default: '/' }),
    deployment: z
      .boolean()
      .optional()
      .meta({ description: 'Published packages are ready to deploy.', default: false }),
    versioning: z.enum(['sequence', 'semver']).optional().meta({ default: 'sequence' }),
    defaultUpstream: z
      .strictObject({
        repo: z.string().regex(REPOSITORY_NAME, 'must be owner/name, such as acme/blueprints'),
      })
      .optional(),
    guardrails: z
      .strictObject({
        mutators: z.array(mutator).max(100).optional(),
        validators: z.array(validator).max(100).optional(),
      })
      .optional(),
    functions: allowedFunctions.optional(),
    access: access.optional(),
    publish: z
      .strictObject({
        release: z.boolean().optional().meta({
          description: 'Make a release with notes. Default: true, but false in deployment repositories.',
        }),
        requireApprovals: z.int().min(0).max(20).optional().meta({ default: 1 }),
        allowSelfApproval: z.boolean().optional().meta({ default: false }),
        requireApprovalBy: z.array(grant).min(1).max(100).optional().meta({
          description:
            'Roles, @org/team or @login; one of them must approve a proposal that lets a package do more than before.',
        }),
        directPushes: z.enum(['publish', 'flag']).optional().meta({
          description:
            'What to do about a push past any proposal, and a merge without the approvals it needs.',
          default: 'flag',
        }),
        mergeMethod: z.enum(['merge', 'squash', 'rebase']).optional().meta({
          description:
            'How /portico publish merges; without it as the repository allows, a merge commit before squash and rebase.',
        }),
        approvals: z
          .strictObject({
            from: z.array(oneRepository).max(100).optional().meta({
              description:
                'Repositories, one by one, whose approvals of the same change count for updates here, where those repositories name this one in `to`.',
            }),
            to: z.array(repositories).max(100).optional().meta({
              description: 'Repositories in which approvals of a change here may count for the same change.',
            }),
          })
          .optional(),
        codeOwners: z.boolean().optional().meta({
          description: 'Owners named in CODEOWNERS must approve changes to what they own.',
          default: true,
        }),
      })
      .optional(),
    oci: ociSettings.optional().meta({
      description:
        'A registry to which published packages are also pushed, as artefacts that Flux and Argo CD read.',
    }),
    updates: updates.optional(),
    health: z
      .strictObject({
        statuses: reportedStatuses.optional().meta({
          description:
            'Commit statuses and check runs that say how what is published fares where it runs, as globs; flux and argocd mean those that the tools report. Default: flux and argocd.',
        }),
        deployments: reportedDeployments.optional().meta({
          description: 'Environments whose deployments say it. Default: all.',
        }),
      })
      .optional()
      .meta({
        description:
          'What tells of a deployment repository that a revision with sources fails, which Portico then proposes to restore.',
      }),
    upstreams: z
      .strictObject({
        allow: z
          .array(
            z.union([
              allowedAddress,
              z.strictObject({
                address: allowedAddress.meta({ description: 'The address, as above.' }),
                credentials: credentialName.optional().meta({
                  description:
                    'Name of a credential that the host of Portico holds, to read the address with.',
                }),
              }),
            ]),
          )
          .max(200)
          .optional()
          .meta({
            description:
              'Addresses outside the installation that packages may be cloned from: a repository, or everything below an address that ends in /*. Without a credential, they are read as anyone may.',
          }),
        map: z
          .array(
            z.strictObject({ from: z.string(), to: z.string() }).check((ctx) => {
              const message = mappedAddressProblem(ctx.value);
              if (message !== undefined) ctx.issues.push({ code: 'custom', message, input: ctx.value });
            }),
          )
          .max(200)
          .optional()
          .meta({
            description:
              'Where addresses that Kptfiles name are now, such as those of a former forge: each update then writes the new one.',
          }),
      })
      .optional(),
    sharing: z
      .strictObject({
        to: z.array(repositories).max(200).optional().meta({
          description:
            'Repositories that may receive what is published here even if others can read it there: owner/name, or owner/* for all.',
        }),
        from: z.array(repositories).max(200).optional().meta({
          description:
            'Private repositories, or those of other owners, whose packages may come here where they agree.',
        }),
        within: z.enum(['organization', 'none']).optional().meta({
          description:
            'organization: share, in both directions, with every repository of the same owner that also sets this and is at least as private; intended for the defaults of an organisation. none: turn that off here.',
          default: 'none',
        }),
      })
      .optional(),
    controlledBy: z.array(repositories).max(200).optional().meta({
      description:
        'Repositories of the same owner whose PackageVariants, PackageVariantSets and Rollouts apply here, in addition to those in this repository: owner/name, or owner/* for all.',
    }),
    inventory: z.strictObject({ directory }).optional(),
    dashboard: z
      .boolean()
      .optional()
      .meta({ description: 'Keep an issue that shows packages, updates and variants.', default: true }),
    organization: z
      .strictObject({
        dashboard: z.boolean().optional().meta({
          description: 'Keep an issue about all repositories of the owner in this one.',
          default: false,
        }),
        listed: z.boolean().optional().meta({
          description:
            'Whether that issue may name this repository; by default, only if everyone who can read the issue can read the repository.',
        }),
      })
      .optional(),
  })
  .check((ctx) => uniqueNames(ctx.value, ctx.issues));

export const repositoryDocument = z
  .strictObject({
    apiVersion: z.literal('config.portico.dev/v1alpha1'),
    kind: z.literal('Repository'),
    metadata: z
      .strictObject({
        name: shortText(253).optional(),
        namespace: shortText(253).optional(),
        labels: z.record(z.string(), z.string()).optional(),
        annotations: z.record(z.string(), z.string()).optional(),
      })
      .optional(),
    spec: spec.optional(),
  })
  .meta({
    title: 'Portico repository configuration',
    description: '.github/portico.yaml on the default branch registers a repository.',
  });

export type RepositorySpec = z.infer<typeof spec>;

/** The JSON Schema (draft 7, which editors know) of `.github/portico.yaml`. */
export function repositoryJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(repositoryDocument, { io: 'input', target: 'draft-7' });
}

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
      ctx.issues.push({
        code: 'custom',
        message: `a group ${name} already exists`,
        input: name,
        path: [at, 'name'],
      });
    }
    seen.add(name);
  }
}

/** Guardrails share one name space, because each has the check `guardrail/<name>`. */
function uniqueNames(value: RepositorySpec, issues: z.core.$ZodRawIssue[]): void {
  const seen = new Set<string>();
  for (const list of ['mutators', 'validators'] as const) {
    for (const [at, { name }] of (value.guardrails?.[list] ?? []).entries()) {
      if (seen.has(name)) {
        issues.push(
          custom(value, `must be unique, but ${name} is listed twice`, ['guardrails', list, at, 'name']),
        );
      }
      seen.add(name);
    }
  }
}
