/** What the API answers: each shape once, for the answers themselves, for their types, and for the description. */
import { z } from 'zod';

const name = (of: string) => z.string().meta({ description: `${of}, as \`owner/name\`` });
const path = z
  .string()
  .meta({ description: 'Path of the package below the registered directory; `.` is the top' });
const revision = (of: string) => z.string().meta({ description: of, examples: ['v3'] });
const moment = (of: string) => z.iso.datetime().meta({ description: of });
const reason = z.string().meta({
  description:
    'One word: `up-to-date`, `merged`, `proposed`, or why there is no update; docs/variants.md lists them',
  examples: ['wave-waiting'],
});
const message = z.string().meta({ description: 'The same as a sentence for people; may be empty' });
const pull = z.number().int().meta({ description: 'Number of the update pull request' });

/** A registered repository. */
export const repository = z
  .strictObject({
    repository: name('The repository'),
    visibility: z.enum(['public', 'internal', 'private']),
    directory: z.string().meta({ description: 'The registered directory; `.` is the top' }),
    branch: z.string().optional().meta({ description: 'The registered branch' }),
    commit: z.string().meta({ description: 'Head of that branch when it was read' }),
    deployment: z.boolean().meta({ description: 'Published packages are ready to be deployed' }),
    packages: z.number().int(),
    revisions: z.number().int(),
    updates: z.record(z.string(), z.number().int()).meta({
      description: 'What came of the last look at the updates of its packages: reason → packages',
    }),
    mistakes: z.number().int().meta({ description: 'Errors in its configuration' }),
  })
  .meta({ title: 'Repository', description: 'A registered repository' });

/** A package on a registered branch. */
export const packageRow = z
  .strictObject({
    repository: name('The repository'),
    package: path,
    newest: revision('The newest published revision').optional(),
    subpackage: z.boolean().meta({ description: 'It is part of another package' }),
    upstream: z
      .strictObject({ repo: z.string(), directory: z.string(), ref: z.string(), commit: z.string() })
      .optional()
      .meta({ description: 'What its Kptfile is locked to, as written there' }),
  })
  .meta({ title: 'Package', description: 'A package on the registered branch' });

/** A published revision. */
export const revisionRow = z
  .strictObject({
    repository: name('The repository'),
    package: path,
    revision: revision('The published revision'),
    newest: z.boolean().meta({ description: 'No newer release of the package is published' }),
  })
  .meta({ title: 'Revision', description: 'A published revision' });

/** How a downstream package stands towards its upstream. */
export const updateRow = z
  .strictObject({
    repository: name('The repository of the downstream package'),
    package: path,
    reason,
    message,
    from: revision('The revision that it is at').optional(),
    to: revision('The revision that is proposed or due').optional(),
    upstreamRevision: revision(
      'The same as `to`; absent for what sources lead to, such as `chart@1.2.0`',
    ).optional(),
    revision: revision('The newest published revision of the downstream package itself').optional(),
    pull: pull.optional(),
  })
  .meta({ title: 'Update', description: 'What came of the last look at the update of a downstream package' });

/** How far a downstream package is behind. */
export const driftRow = z
  .strictObject({
    repository: name('The repository of the downstream package'),
    package: path,
    upstream: z.string().meta({ description: 'The package that it is made from, as `owner/name:path`' }),
    at: revision('The revision that it is locked to; absent for a branch or a commit').optional(),
    upstreamRevision: revision('The same as `at`: a revision of the upstream').optional(),
    revision: revision('The newest published revision of the downstream package itself').optional(),
    newest: revision('The newest published revision of the upstream').optional(),
    behind: z.number().int().optional().meta({
      description: 'Newer revisions that are not rolled back; absent where that cannot be counted',
    }),
    behindSince: moment('When the oldest revision that it lacks was published').optional(),
    state: z.enum(['current', 'behind', 'withdrawn', 'drifted', 'unknown']).meta({
      description:
        '`withdrawn`: the revision that it is at is rolled back, or withdrawn from its channel; `drifted`: its content is none of the revisions of its upstream; `unknown`: it is locked to no published revision',
    }),
  })
  .meta({ title: 'Drift', description: 'How far a downstream package is behind its upstream' });

/** A variant, or a document that none can be made of. */
export const variantRow = z
  .strictObject({
    control: name('The repository with the document'),
    file: z.string(),
    line: z.number().int(),
    namespace: z.string(),
    name: z.string(),
    set: z.string().optional().meta({ description: 'The PackageVariantSet that generated it' }),
    condition: z.enum(['Ready', 'NotReady', 'Stalled', 'Unknown']),
    reason: z.string().meta({ description: 'Why it is not Ready, or `Ready`' }),
    message,
    upstream: z.string().optional().meta({ description: '`owner/name:path`' }),
    downstream: z.string().optional().meta({ description: '`owner/name:path`' }),
    pull: pull.optional(),
  })
  .meta({ title: 'Variant', description: 'A variant, or a document that none can be made of' });

const wave = z
  .strictObject({
    name: z.string(),
    state: z.enum(['waiting', 'open', 'paused', 'pausing', 'passed', 'failed']),
    counted: z.number().int().meta({ description: 'Downstreams that count for its gate' }),
    through: z.number().int().meta({ description: 'Those of them for which all of it holds' }),
    why: z.string().meta({ description: 'What it waits for, or why it failed; may be empty' }),
    opensAt: moment('When it opened, or will as far as is known').optional(),
    passesAt: moment('When the wave after it opens').optional(),
  })
  .meta({ title: 'Wave' });

/** The rollout of the newest revision of one package. */
export const rolloutRow = z
  .strictObject({
    control: name('The repository with the document'),
    file: z.string(),
    rollout: z.string().meta({ description: 'Name of the document' }),
    package: z.string().meta({ description: 'The package that is rolled out, as `owner/name:path`' }),
    revision: revision('The newest revision'),
    state: z.enum(['running', 'done', 'stopped', 'rolled-back']),
    why: z.string().meta({ description: 'Why it does not go on; empty while it does' }),
    rollback: z
      .strictObject({
        left: z.number().int().meta({ description: 'Downstreams that still have the revision' }),
        proposed: z.number().int().meta({ description: 'Those of them with an open rollback pull request' }),
      })
      .optional()
      .meta({ description: 'Present if `state` is `rolled-back`' }),
    waves: z.array(wave),
  })
  .meta({ title: 'Rollout', description: 'The rollout of the newest revision of one package' });

/** A downstream in its wave. */
export const memberRow = z
  .strictObject({
    control: name('The repository with the document'),
    rollout: z.string(),
    package: z.string().meta({ description: 'The package that is rolled out, as `owner/name:path`' }),
    revision: revision('The newest revision'),
    wave: z.string(),
    downstream: z.string().meta({ description: '`owner/name:path`' }),
    at: revision('The revision that it is locked to').optional(),
    upstreamRevision: revision('The same as `at`: a revision of the upstream').optional(),
    standing: z.enum(['waiting', 'published', 'refused', 'out']).meta({
      description: '`refused`: its people said no; `out`: no update to this revision comes there',
    }),
    rollback: z
      .strictObject({ to: revision('The revision that it goes back to'), pull })
      .optional()
      .meta({ description: 'Its open rollback pull request' }),
    health: z
      .strictObject({
        state: z.enum(['success', 'pending', 'failure']),
        since: moment('When it came to that; absent while nothing is reported').optional(),
        what: z.string().meta({ description: 'What failed, or is waited for; may be empty' }),
      })
      .optional()
      .meta({ description: 'Absent where the gate asks for none, or nothing is known' }),
  })
  .meta({ title: 'RolloutMember', description: 'A downstream in its wave' });

const code = z.string().meta({ description: 'Stable code of an error' });
const whyJob = z
  .strictObject({
    kind: z.string(),
    key: z.string().meta({ description: 'The key by which the log of the server names it' }),
    repository: z.string().optional(),
    number: z.number().int().optional().meta({ description: 'Of a pull request or issue' }),
    package: path.optional(),
    state: z.enum(['unqueued', 'running', 'ready', 'waiting', 'done', 'given-up']),
    at: moment('When it began, was stored, will start, or ended').optional(),
    attempt: z.number().int(),
    code: code.optional(),
    reason: z.string().optional().meta({ description: 'Why there was nothing to do' }),
  })
  .meta({ title: 'WhyJob' });

/** Why nothing happens. */
export const why = z
  .strictObject({
    asOf: moment('The moment of the answer'),
    complete: z.boolean().meta({ description: 'False shortly after a start: the index is being read' }),
    about: z.string(),
    delivery: z
      .strictObject({
        event: z.string(),
        state: z.enum(['stored', 'claimed', 'completed', 'failed']),
        receivedAt: moment('When it arrived'),
        attempt: z.number().int(),
        code: code.optional(),
      })
      .optional(),
    jobs: z.array(whyJob),
    packages: z.array(
      z.strictObject({
        repository: name('The repository of the downstream package'),
        package: path,
        reason,
        message,
        from: revision('The revision that it is at').optional(),
        to: revision('The revision that is brought, or due').optional(),
        pull: pull.optional(),
      }),
    ),
    leftOut: z.number().int().meta({ description: 'Packages and jobs that are not in the answer' }),
    pull: z
      .strictObject({
        number: z.number().int(),
        state: z.enum(['draft', 'open', 'merged', 'closed', 'unknown']),
        needs: z.array(
          z.strictObject({ code: z.string(), message: z.string(), hint: z.string(), who: z.string() }),
        ),
        askAgain: z.number().int().optional().meta({
          description: 'Seconds after which its needs can be asked for; absent where `needs` is complete',
        }),
      })
      .optional(),
  })
  .meta({
    title: 'Why',
    description: 'What is queued, what failed, what was decided, and what is waited for',
  });

/** A page of rows. */
export function pageOf(row: z.ZodType): z.ZodType {
  return z.strictObject({
    asOf: moment('The moment of the answer; what changed later is not in it'),
    complete: z.boolean().meta({
      description:
        'False shortly after a start, while not every repository was read again: what is missing may be there',
    }),
    items: z.array(row),
    next: z
      .string()
      .nullable()
      .meta({ description: 'Give it as `cursor` for the next page; null on the last' }),
  });
}

/** What every refusal looks like. */
export const failure = z
  .strictObject({
    error: z.strictObject({
      code: z.string().meta({ description: 'Stable; one of the table in docs/api.md' }),
      message: z.string(),
      hint: z.string().meta({ description: 'What to do' }),
    }),
  })
  .meta({ title: 'Failure', description: 'Why there is no answer' });
