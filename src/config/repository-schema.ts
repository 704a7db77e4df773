/**
 * What `.github/portico.yaml` may say. One zod schema checks it and makes the JSON Schema that editors complete
 * from. Nothing here has a default: organisation defaults are merged in first, see parse-repository-config.ts.
 */

import { z } from 'zod';

import { COMMAND_NAMES } from '../command/table.ts';
import { DEPLOY_TOOLS } from '../package/tool-files/deploy-tools.ts';
import { mappedAddressProblem } from '../package/upstream-map.ts';
import { packagePathProblem } from '../revision/ref-name.ts';
import { refProblem } from '../revision/ref-rules.ts';
import { parseGrant } from './access.ts';
import { allowedUpstreamProblem } from './allowed-upstream.ts';
import { text, shortText, custom } from './checked-text.ts';
import { credentialName } from './credential-name.ts';
import { allowedFunctions } from './function-schema.ts';
import { mutator, validator } from './guardrail-schema.ts';
import { ociSettings } from './oci-schema.ts';
import { REPOSITORY_NAME, REPOSITORY_PATTERN } from './repository-name.ts';
import { reportedDeployments, reportedStatuses } from './rollout-schema.ts';
import { updates } from './updates-schema.ts';

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
    deploy: z.array(z.enum(DEPLOY_TOOLS)).min(1).max(10).optional().meta({
      description:
        'Tools that apply packages of this repository to clusters. Files from which one of them would build other resources than guardrails judge are refused. Default: all.',
    }),
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
        weakeningApprovalBy: z.array(grant).max(100).optional().meta({
          description:
            'Roles, @org/team or @login; one of them must approve a proposal that weakens approvals, guardrails, exemptions, access or consent. An empty list: no one in particular. Default: admin.',
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
              if (message !== undefined) ctx.issues.push(custom(ctx.value, message));
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
