/** What a document of kind `Sources` may say. One zod schema checks it and makes the JSON Schema for editors. */
import validRange from 'semver/ranges/valid.js';
import { z } from 'zod';

import { custom, text as checkedText } from '../config/checked-text.ts';
import { globProblem } from '../config/glob.ts';
import { PorticoError } from '../error.ts';
import { parseReference, referenceText } from '../oci/reference.ts';
import { packagePathProblem } from '../revision/ref-name.ts';
import { refProblem } from '../revision/ref-rules.ts';
import { holdsCredentials } from '../text/secrets.ts';
import { destinationProblem, overlapping } from './destination.ts';

/** Sources of one document; each may cost a download. */
const MAX_SOURCES = 100;

/** The texts of a document: a bounded one that `problem` has nothing to say about. */
const text = (problem: (value: string) => string | undefined): z.ZodString =>
  checkedText(problem, z.string().min(1).max(1_000));

const DNS_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const label = z.string().regex(DNS_LABEL, 'must be 1 to 63 lower-case letters, digits and dashes');

const NO_SECRET =
  'must not contain a user name, password or token; refer to a credential of the host under credentials';

/** An address over http; which hosts may be reached is decided where they are. */
function addressProblem(value: string): string | undefined {
  if (holdsCredentials(value)) return NO_SECRET;
  if (!/^https?:\/\/[^/\s]+/.test(value) || !URL.canParse(value)) return 'must begin with https://';
  return new URL(value).hash === '' ? undefined : 'must not have a part after #';
}

const address = text(addressProblem);

function rangeProblem(value: string): string | undefined {
  if (value.length > 200) return 'must not be longer than 200 characters';
  return readRange(value) === null ? 'must be a range of versions, such as >=7 <8 or ^1.2' : undefined;
}

/** As npm writes ranges; Helm puts commas between what must hold together. Null for what is none. */
export function readRange(value: string): string | null {
  return validRange(value.replaceAll(',', ' '));
}

const semver = text(rangeProblem);

const ref = text((value) =>
  /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(value) ? undefined : refProblem(value)?.message,
);

/** Reads `HOST/NAME:TAG@DIGEST`; `image` is the host and the name. Undefined for what names no image. */
export function readImage(
  value: string,
): { readonly image: string; readonly tag?: string; readonly digest?: string } | undefined {
  try {
    const { tag, digest, ...name } = parseReference(value);
    if (digest?.startsWith('sha256:') === false) return undefined;
    const image = referenceText(name);
    return { image, ...(tag !== undefined && { tag }), ...(digest !== undefined && { digest }) };
  } catch (error) {
    if (error instanceof PorticoError) return undefined;
    throw error;
  }
}

function imageProblem(value: string): string | undefined {
  if (holdsCredentials(value)) return NO_SECRET;
  return readImage(value) === undefined
    ? 'must be oci://HOST/NAME with :TAG or @sha256:DIGEST, such as oci://ghcr.io/acme/redis:7.2.1'
    : undefined;
}

const git = z
  .strictObject({
    repo: address.meta({ description: 'Address of the repository, with https.' }),
    ref: ref.optional().meta({ description: 'Tag, branch or commit; the default branch where absent.' }),
    semver: semver.optional().meta({ description: 'A range over the tags: the newest of them is taken.' }),
  })
  .check((ctx) => {
    if (ctx.value.ref !== undefined && ctx.value.semver !== undefined) {
      ctx.issues.push(custom(ctx.value, 'must have ref or semver, not both'));
    }
  });

const oci = z
  .strictObject({
    ref: text(imageProblem).meta({ description: 'oci://HOST/NAME with :TAG or @sha256:DIGEST.' }),
    semver: semver.optional().meta({ description: 'A range over the tags: the newest of them is taken.' }),
    setter: label.optional().meta({
      description:
        'Instead of the files of the image, setters.yaml with this setter: its value is the image by digest.',
    }),
  })
  .check((ctx) => {
    const { tag, digest } = readImage(ctx.value.ref) ?? {};
    const named = tag !== undefined || digest !== undefined;
    if (named === (ctx.value.semver !== undefined)) {
      const message = named
        ? 'must have a tag or digest, or semver, not both'
        : 'has neither a tag nor a digest: add one to ref, or a range under semver';
      ctx.issues.push(custom(ctx.value, message));
    }
  });

const http = z.strictObject({
  url: address.meta({ description: 'A tar, gzipped tar or zip archive.' }),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits')
    .optional()
    .meta({ description: 'Digest of the archive, as published.' }),
});

const helm = z.strictObject({
  repository: text((value) =>
    value.startsWith('oci://') ? imageProblem(`${value.replace(/\/$/, '')}/x:1`) : addressProblem(value),
  ).meta({ description: 'Address of a Helm repository, or oci:// and where the charts are.' }),
  chart: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/, 'must be the name of a chart')
    .meta({ description: 'Name of the chart.' }),
  version: text(rangeProblem).optional().meta({ description: 'A version or a range.', default: '*' }),
});

const packageSource = z.strictObject({
  repo: address.meta({ description: 'Address of the repository, with https.' }),
  package: text((value) => packagePathProblem(value)?.message).meta({
    description: 'Path of the package in it.',
  }),
  revision: z
    .string()
    .max(128)
    .regex(
      /^(?:latest|v[0-9][0-9A-Za-z.+-]*|[\^~<>=0-9x*][0-9x*.<>=^~ |-]*)$/,
      'must be latest, v3 or a range',
    )
    .optional()
    .meta({ description: 'v3, latest, or a range over the revisions.', default: 'latest' }),
});

const KINDS = ['git', 'oci', 'http', 'helm', 'package', 'manual'] as const;
/** Fields that say what is taken of content which people do not keep themselves. */
const CHOOSING = ['include', 'exclude', 'newRoot', 'keepLegal'] as const;
const TAKING = [...CHOOSING, 'credentials'] as const;

const glob = text(globProblem);
const destination = text(destinationProblem);

const sourceSchema = z
  .strictObject({
    id: label.meta({ description: 'Name of the source in the package.' }),
    git: git.optional(),
    oci: oci.optional(),
    http: http.optional(),
    helm: helm.optional(),
    package: packageSource.optional(),
    manual: z.literal(true).optional().meta({ description: 'People keep the directory themselves.' }),
    destination: destination.optional().meta({ description: 'Directory of the package; the id if absent.' }),
    include: z.array(glob).min(1).max(100).optional().meta({ description: 'Globs of files to take.' }),
    exclude: z.array(glob).max(100).optional().meta({ description: 'Globs of files to leave.' }),
    newRoot: destination.optional().meta({ description: 'Only this directory of the content.' }),
    keepLegal: z.boolean().optional().meta({ description: 'Licences are always taken.', default: true }),
    credentials: label.optional().meta({ description: 'Name of a credential that the host holds.' }),
  })
  .check((ctx) => {
    const { value } = ctx;
    const named = KINDS.filter((kind) => value[kind] !== undefined);
    if (named.length !== 1) {
      const fields = named.length === 0 ? 'says none' : `says ${named.join(' and ')}`;
      const message = `must have exactly one of ${KINDS.join(', ')}, and ${fields}`;
      ctx.issues.push({ code: 'custom', message, input: value });
    }
    const refuse = (fields: readonly (typeof TAKING)[number][], message: string): void => {
      for (const field of fields)
        if (value[field] !== undefined)
          ctx.issues.push({ code: 'custom', path: [field], message, input: value });
    };
    if (value.manual) refuse(TAKING, 'belongs to content that is fetched, and this source is manual');
    if (value.oci?.setter !== undefined)
      refuse(CHOOSING, 'belongs to the files of an image, and this source takes none of them');
  });

export type WrittenSource = z.output<typeof sourceSchema>;

const sourcesSchema = z
  .array(sourceSchema)
  .min(1)
  .max(MAX_SOURCES)
  .check((ctx) => {
    const ids = ctx.value.map(({ id }) => id);
    for (const [at, id] of ids.entries()) {
      if (ids.indexOf(id) === at) continue;
      ctx.issues.push({
        code: 'custom',
        path: [at, 'id'],
        message: `must be unique, but ${id} is listed twice`,
        input: id,
      });
    }
    const paths = ctx.value.map(({ id, destination: path }) => path ?? id);
    for (const { at, with: other } of overlapping(paths)) {
      const own = ctx.value[at]?.destination !== undefined;
      ctx.issues.push({
        code: 'custom',
        path: [at, own ? 'destination' : 'id'],
        message: `fills ${paths[at]}, which overlaps with ${paths[other]} of ${ids[other]}: give each its own directory`,
        input: paths[at],
      });
    }
  });

const pauseSchema = z.strictObject({
  reason: z.string().min(1).max(500).meta({ description: 'Why no update is proposed.' }),
  until: z
    .string()
    .regex(
      /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2})?Z)?$/,
      'must be a date such as 2027-01-31, or 2027-01-31T08:00:00Z',
    )
    .optional()
    .meta({ description: 'When updates are proposed again.' }),
});

/** Of the document as a whole; what its processors are, others know. */
export const sourcesDocumentSchema = z
  .strictObject({
    apiVersion: z.literal('config.portico.dev/v1alpha1'),
    kind: z.literal('Sources'),
    metadata: z
      .looseObject({ name: label, annotations: z.record(z.string(), z.string()).optional() })
      .optional()
      .meta({ description: 'A name, and the annotation config.kubernetes.io/local-config: "true".' }),
    sources: sourcesSchema,
    processors: z.array(z.unknown()).optional(),
    paused: pauseSchema.optional(),
  })
  .meta({
    title: 'Sources of a package',
    description: 'What of a package comes from elsewhere, and the steps that turn it into resources.',
  });

/** The JSON Schema (draft 7, which editors know) of a `Sources` document with these processors. */
export function sourcesJsonSchema(processors: z.ZodType): Record<string, unknown> {
  const whole = sourcesDocumentSchema.extend({ processors: processors.optional() });
  return z.toJSONSchema(whole, { io: 'input', target: 'draft-7', unrepresentable: 'any' });
}
