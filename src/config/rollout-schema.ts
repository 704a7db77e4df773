/** What a `Rollout` document below `.github/portico/` may say. One schema checks it and makes the JSON Schema. */
import { z } from 'zod';

import { parseGrant } from './access.ts';
import { text, ageText, custom } from './checked-text.ts';
import { globProblem } from './glob.ts';
import { REPOSITORY_NAME_NEARBY } from './repository-name.ts';

const NAME = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

export const rolloutName = text((value) =>
  NAME.test(value) ? undefined : 'must be lower-case letters, digits and dashes, 63 at most',
);
const globs = z.array(text(globProblem)).min(1).max(100);

/** Commit statuses and check runs, and environments of deployments, that say how something fares; of gates, and of whole repositories. */
export const reportedStatuses = globs;
export const reportedDeployments = z.array(z.string().min(1).max(255)).min(1).max(20);

const age = ageText();
const strings = z.record(z.string().max(317), z.string().max(63));
const share = z
  .union([
    z.int().min(1).max(100_000),
    text((value) =>
      /^(?:100|[1-9][0-9]?)%$/.test(value) ? undefined : 'must be a number, or a per cent such as 10%',
    ),
  ])
  .meta({ description: 'A number, or a percentage such as 10%, rounded up.' });

/** The upstream packages that a rollout is about. */
export const rolloutUpstreams = z
  .array(
    z.strictObject({
      repo: z
        .string()
        .regex(REPOSITORY_NAME_NEARBY, 'must be owner/name, or a name of the same owner')
        .optional()
        .meta({ description: 'Where the packages are; without it, this repository.' }),
      packages: globs.meta({ description: 'Globs over package paths.' }),
    }),
  )
  .min(1)
  .max(100);

/** Who is told of a rollout that does not go on. */
export const rolloutOwners = z
  .array(
    text((value) => {
      const parsed = parseGrant(value);
      return typeof parsed !== 'string' && (parsed.kind === 'person' || parsed.kind === 'team')
        ? undefined
        : 'must be @login or @org/team';
    }),
  )
  .min(1)
  .max(20);

const wave = z.strictObject({
  name: rolloutName.meta({ description: 'Commands and the dashboard call it so.' }),
  select: z
    .strictObject({
      repositories: globs.optional().meta({ description: 'Globs over owner/name, or over the name alone.' }),
      packages: globs.optional().meta({ description: 'Globs over package paths.' }),
      topics: z.array(z.string().min(1).max(50)).min(1).max(20).optional().meta({
        description: 'Topics of the repository; one of them is enough.',
      }),
      properties: z
        .record(z.string().max(75), z.string().max(75))
        .optional()
        .meta({ description: 'Custom properties of the repository; all of them.' }),
      labels: strings.optional().meta({
        description:
          'Labels of the Repository document (of Porch) beside the rollout that names the repository; all of them.',
      }),
      inventory: z
        .strictObject({ kind: z.string().min(1).max(63), labels: strings.optional() })
        .optional()
        .meta({
          description:
            'An inventory object of this kind that is named like the repository and has all of these labels.',
        }),
      deployment: z
        .boolean()
        .optional()
        .meta({ description: 'Only deployment repositories, or only others.' }),
    })
    .optional()
    .meta({ description: 'All fields must match; by default, every downstream matches.' }),
  size: share.optional().meta({
    description: 'How many of those that it selects and no earlier wave has; without it, all.',
  }),
  pauseAfter: age
    .optional()
    .meta({ description: 'Between the holding of its gate and the next wave: 30m, 12h, 3d, 2w.' }),
  gate: z
    .strictObject({
      published: share
        .optional()
        .meta({ description: 'How many of the wave must have published the revision.', default: '100%' }),
      statuses: reportedStatuses.optional().meta({
        description:
          'Commit statuses and check runs, as globs, that must be a success on each published commit or on a later one with the same package; flux and argocd mean the statuses that those tools report.',
      }),
      deployments: reportedDeployments.optional().meta({
        description: 'Environments that each published commit must be deployed to with success.',
      }),
      timeout: age.optional().meta({ description: 'After so long from its opening it has failed.' }),
      onFailure: z.enum(['stop', 'rollback']).optional().meta({ default: 'stop' }),
      manual: z.literal(true).optional().meta({
        description: 'The next wave opens only after `/portico rollout approve <rollout> <wave>`, too.',
      }),
      urls: z
        .array(
          text((value) =>
            /^https?:\/\/[^\s@]{1,1900}$/.test(value) && URL.canParse(value)
              ? undefined
              : 'must be an https address',
          ),
        )
        .min(1)
        .max(10)
        .optional()
        .meta({
          description:
            'Addresses that must say that it holds, once the rest of the gate does: a webhook that answers 2xx with nothing or `{"holds": true}`, or an instant query of Prometheus with samples that are not 0. The operator lists their hosts in GATE_HOSTS.',
        }),
      stopAt: share.optional().meta({
        description:
          'The wave fails when so many of it report a failure: 2, or 5%; by default, one. To pass with some of them failing, set published, too.',
      }),
    })
    .optional()
    .meta({ description: 'What must hold of the wave before the next one opens.' }),
});

export const rolloutDocument = z
  .strictObject({
    apiVersion: z.literal('config.portico.dev/v1alpha1'),
    kind: z.literal('Rollout'),
    metadata: z.strictObject({
      name: rolloutName,
      namespace: z.string().max(253).optional(),
      labels: z.record(z.string(), z.string()).optional(),
      annotations: z.record(z.string(), z.string()).optional(),
    }),
    spec: z
      .strictObject({
        upstreams: rolloutUpstreams,
        owners: rolloutOwners.optional().meta({
          description:
            'People (@login) and teams (@org/team) who are mentioned once in an issue when the rollout stops, waits too long or goes back.',
        }),
        waves: z.array(wave).min(1).max(50),
      })
      .check((ctx) => {
        const names = ctx.value.waves.map((one) => one.name);
        for (const [at, one] of names.entries()) {
          const message =
            names.indexOf(one) < at
              ? `must be unique, but ${one} is listed twice`
              : one === 'rest'
                ? 'must not be rest: so the wave of all others is called'
                : undefined;
          if (message === undefined) continue;
          ctx.issues.push(custom(ctx.value, message, ['waves', at, 'name']));
        }
      }),
  })
  .meta({
    title: 'Portico rollout',
    description: 'Updates reach the downstreams of upstream packages wave by wave.',
  });

export type RolloutDocument = z.infer<typeof rolloutDocument>;

/** The JSON Schema (draft 7, which editors know) of a `Rollout` document. */
export function rolloutJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(rolloutDocument, { io: 'input', target: 'draft-7' });
}
