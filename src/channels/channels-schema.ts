/** The shape of a `PackageChannels` document, for editors; the reader tells what is wrong by rule and line. */
import { z } from 'zod';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const channelName = z
  .string()
  .max(63)
  .regex(new RegExp(`^(?!v?[0-9]+(\\.[0-9]+)*$)${LABEL}(\\.${LABEL})*$`))
  .meta({ id: 'channelName', description: 'Labels with dots between; no name of a revision.' });
const revision = z
  .string()
  .regex(/^v[1-9][0-9]{0,8}$/)
  .meta({ id: 'revision', description: 'A revision as in its tag, such as v12.' });

const member = z.union([
  revision,
  z.strictObject({
    revision,
    waypoint: z.boolean().optional().meta({ description: 'No jump leads over it.' }),
    note: z.string().optional(),
    withdrawn: z
      .strictObject({ reason: z.string().optional(), at: z.string().optional() })
      .optional()
      .meta({ description: 'No longer offered; downstreams that have it move back to the head.' }),
    replaces: revision.optional().meta({ description: 'mode: graph. It follows this revision.' }),
    skips: z.array(revision).optional().meta({
      description: 'mode: graph. It supersedes these revisions, which are no longer upgrade targets.',
    }),
    skipRange: z.string().optional().meta({
      description: 'mode: graph. It follows every version in this range, such as ">=1.0.0 <2.0.0".',
    }),
    version: z.string().optional().meta({ description: 'mode: graph. Its version; without it v7 is 7.0.0.' }),
  }),
]);

const promotion = z.strictObject({
  from: channelName.meta({ description: 'The channel whose revisions may be taken over.' }),
  soak: z
    .string()
    .regex(/^([1-9][0-9]{0,4}[smhd])+$/)
    .optional()
    .meta({ description: 'How long a revision must have been published, such as 72h.' }),
  require: z.array(z.string()).optional(),
  healthy: z
    .string()
    .regex(/^(?:[1-9][0-9]?|100)%$/)
    .optional()
    .meta({
      description: 'How many of the downstreams have to be healthy for rollout, such as 90%; default: all.',
    }),
  approvers: z.array(z.string()).optional(),
  auto: z.enum(['open', 'merge']).optional(),
});

const channel = z.strictObject({
  name: channelName,
  auto: z.literal('all').optional().meta({ description: 'Every published revision is a member.' }),
  mode: z.enum(['sequence', 'graph']).optional().meta({ default: 'sequence' }),
  head: revision.optional().meta({ description: 'Must be the head that follows from the members.' }),
  members: z.array(member).max(10_000).optional(),
  promotion: promotion.optional(),
});

const deprecation = z.strictObject({
  reference: z.strictObject({
    schema: z.enum(['package', 'channel', 'revision']),
    name: z.string().optional(),
  }),
  message: z.string().min(1),
  severity: z.enum(['info', 'warning', 'blocking']).optional().meta({ default: 'warning' }),
  supersededBy: revision.optional(),
});

const packageChannels = z
  .strictObject({
    apiVersion: z.literal('config.portico.dev/v1alpha1'),
    kind: z.literal('PackageChannels'),
    package: z.string().min(1).meta({ description: 'Path of the package; the file has the same path.' }),
    defaultChannel: channelName,
    channels: z.array(channel).min(1).max(100),
    deprecations: z.array(deprecation).optional(),
  })
  .meta({ title: 'PackageChannels', description: 'Which revisions of a package its channels offer.' });

/** The JSON Schema (draft 7, which editors know) of a `PackageChannels` document. */
export function packageChannelsJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(packageChannels, { io: 'input', target: 'draft-7' });
}
