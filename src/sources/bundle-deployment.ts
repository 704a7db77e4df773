/**
 * `BundleDeployment` of RukPak (core.rukpak.io/v1alpha2) as a document of sources: the shape that was released (api/v1alpha2/
 * bundledeployment_types.go) and the one that was proposed (operator-framework/rukpak#703 and #713: `sources`, `format`,
 * `paused`, `defaultNamespace`).
 */
import { z } from 'zod';

import { digestOfWritten } from '../package/sources/source-digest.ts';
import { destinationProblem, overlapping } from './destination.ts';
import { readImage } from './source-schema.ts';
import type { Pause, Source, SourcePlace } from './source.ts';

export const RUKPAK_API = 'core.rukpak.io/v1alpha2';

const NO_TLS =
  'is not supported: Portico requires TLS that it can verify; add the authority with NODE_EXTRA_CA_CERTS';

/** True would leave out a check that Portico always makes. */
const never = z
  .boolean()
  .optional()
  .refine((value) => value !== true, NO_TLS);

const secret = z.looseObject({ name: z.string().min(1).max(253) });
const auth = z.strictObject({ secret: secret.optional(), insecureSkipVerify: never });
/** The proposal's, which names a namespace too; it counts for nothing here. */
const proposedAuth = z.union([
  auth,
  z.strictObject({ name: z.string().min(1).max(253), namespace: z.string().optional() }),
]);

const image = z.strictObject({
  ref: z.string().check((ctx) => {
    if (readImage(ctx.value) !== undefined) return;
    const message = 'must name its registry and a tag or digest, such as quay.io/acme/bundle:v1.0.0';
    ctx.issues.push({ code: 'custom', message, input: ctx.value });
  }),
  pullSecret: z.string().max(253).optional(),
  auth: proposedAuth.optional(),
  insecureSkipTLSVerify: never,
  certificateData: z.string().max(0, `certificateData ${NO_TLS}`).optional(),
});

const git = z.strictObject({
  repository: z.string().regex(/^https?:\/\//, 'must begin with https://'),
  directory: z.string().max(1_000).optional(),
  /** Exactly one of the three; the proposal writes a commit alone. */
  ref: z
    .union([
      z.string().min(1).max(250),
      z
        .strictObject({
          branch: z.string().optional(),
          tag: z.string().optional(),
          commit: z.string().optional(),
        })
        .refine(
          (ref) => Object.values(ref).filter((one) => one !== undefined && one !== '').length === 1,
          'must have exactly one of branch, tag and commit',
        ),
    ])
    .optional(),
  auth: proposedAuth.optional(),
  destination: z.string().optional(),
});

const http = z.strictObject({
  url: z.string().regex(/^https?:\/\//, 'must begin with https://'),
  auth: proposedAuth.optional(),
  destination: z.string().optional(),
});

const NO_CLUSTER =
  'needs a cluster: commit the files into the package and make their directory a manual source';

const parts = {
  image: image.optional(),
  git: git.optional(),
  http: http.optional(),
  configMaps: z
    .unknown()
    .refine((value) => value === undefined, NO_CLUSTER)
    .optional(),
};

const TYPES = ['image', 'git', 'http', 'configMaps'] as const;

/** What the source says it is, and what it has, are one. */
function checkType(
  ctx: z.core.ParsePayload<Partial<Record<(typeof TYPES)[number], unknown>>>,
  field: string,
  type: string,
): void {
  const { value } = ctx;
  const named = TYPES.filter((one) => value[one] !== undefined);
  if (named.length === 1 && named[0] === type) return;
  const message = `must have exactly ${type}, as its ${field} says, and has ${named.join(' and ') || 'none'}`;
  ctx.issues.push({ code: 'custom', message, input: value });
}

const released = z
  .strictObject({ type: z.enum(TYPES), ...parts })
  .check((ctx) => checkType(ctx, 'type', ctx.value.type));

const destination = z.string().check((ctx) => {
  const message = destinationProblem(ctx.value);
  if (message !== undefined) ctx.issues.push({ code: 'custom', message, input: ctx.value });
});

const proposed = z
  .strictObject({ kind: z.enum(TYPES), destination: destination.optional(), ...parts })
  .check((ctx) => checkType(ctx, 'kind', ctx.value.kind));

const NAME = /^[a-z0-9](?:[a-z0-9.-]{0,50}[a-z0-9])?$/;
const PROVISIONERS = {
  'core-rukpak-io-plain': 'plain',
  'core-rukpak-io-helm': 'helm',
  'core-rukpak-io-registry': 'registry',
} as const;

const namespace = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'must be 1 to 63 lower-case letters, digits and dashes');

export const bundleDeploymentSchema = z.strictObject({
  apiVersion: z.literal(RUKPAK_API),
  kind: z.literal('BundleDeployment'),
  metadata: z.looseObject({
    name: z.string().regex(NAME, 'must be at most 52 lower-case letters, digits, dashes and dots'),
  }),
  spec: z
    .strictObject({
      installNamespace: namespace.optional(),
      defaultNamespace: namespace.optional(),
      provisionerClassName: z
        .enum(['core-rukpak-io-plain', 'core-rukpak-io-helm', 'core-rukpak-io-registry'])
        .optional(),
      // As released, and as proposed.
      format: z.enum(['plain', 'helm', 'registry', 'registry-v1']).optional(),
      source: released.optional(),
      sources: z.array(proposed).min(1).max(100).optional(),
      paused: z.boolean().optional(),
      config: z.looseObject({ values: z.string().max(1_000_000).optional() }).optional(),
      preflight: z.unknown().optional(),
    })
    .check((ctx) => {
      const { value } = ctx;
      const settings: string[] = [];
      if ((value.source === undefined) === (value.sources === undefined)) {
        settings.push('must have source or sources, and exactly one of them');
      }
      if ((value.provisionerClassName === undefined) === (value.format === undefined)) {
        settings.push('must have provisionerClassName or format, and exactly one of them');
      }
      const isHelm = value.format === 'helm' || value.provisionerClassName === 'core-rukpak-io-helm';
      if (isHelm && value.installNamespace === undefined && value.defaultNamespace === undefined) {
        settings.push('must have installNamespace: charts name none');
      }
      for (const message of settings) ctx.issues.push({ code: 'custom', message, input: value });
      for (const { at, with: other } of overlapping(value.sources?.map(destinationOf) ?? [])) {
        const message = `fills a directory that sources[${other}] fills: give each its own destination`;
        ctx.issues.push({ code: 'custom', path: ['sources', at], message, input: value });
      }
    }),
  status: z.unknown().optional(),
});

type BundleDeployment = z.output<typeof bundleDeploymentSchema>;
type Part = Pick<z.output<typeof proposed>, 'image' | 'git' | 'http'>;

/** Without a destination a bundle's only source fills `bundle`, others what they are and which. */
function destinationOf(
  part: Part & { readonly destination?: string | undefined; readonly kind?: string },
  at: number,
): string {
  const destination = part.destination ?? part.git?.destination ?? part.http?.destination;
  return destination ?? `${part.kind ?? 'source'}-${at + 1}`;
}

/** A document as `Sources` would say it. Processors are as a document writes them. */
export interface Converted {
  readonly sources: readonly Source[];
  readonly processors: readonly Readonly<Record<string, unknown>>[];
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly paused?: Pause;
}

/** File of the package that holds the values of a chart, which the document has in itself. */
const VALUES_FILE = 'bundle-values.yaml';
const BUNDLE = 'bundle';

export function convertBundleDeployment({ metadata, spec }: BundleDeployment): Converted {
  const { installNamespace = spec.defaultNamespace, config, paused } = spec;
  const written = spec.format ?? PROVISIONERS[spec.provisionerClassName ?? 'core-rukpak-io-plain'];
  const format = written === 'registry-v1' ? 'registry' : written;
  const parts: readonly (Part & { destination?: string | undefined; kind?: string })[] =
    spec.sources ?? (spec.source === undefined ? [] : [{ ...spec.source, destination: BUNDLE }]);
  const sources = parts.map((part, at) => sourceOf(part, destinationOf(part, at), format === 'helm'));
  const bundle = commonDirectory(sources.map((source) => source.destination));
  const values = format === 'helm' ? config?.values : undefined;
  const helm = {
    chart: bundle,
    release: metadata.name,
    namespace: installNamespace ?? '',
    ...(values !== undefined && { values: VALUES_FILE }),
  };
  const processor = {
    plain: { plain: { directory: bundle } },
    helm: { helm },
    registry: { registryV1: { bundle, ...(installNamespace !== undefined && { installNamespace }) } },
  }[format];
  return {
    sources,
    processors: [processor],
    files: values === undefined ? new Map() : new Map([[VALUES_FILE, Buffer.from(values)]]),
    ...(paused === true && { paused: { reason: 'spec.paused of the BundleDeployment' } }),
  };
}

function sourceOf(part: Part, path: string, unwrap: boolean): Source {
  const place = placeOf(part);
  const { pullSecret, auth } = {
    pullSecret: undefined,
    auth: undefined,
    ...part.image,
    ...part.git,
    ...part.http,
  };
  const named = auth === undefined ? undefined : 'name' in auth ? auth.name : auth.secret?.name;
  const credentials = pullSecret ?? named;
  const directory = (part.git?.directory ?? '').replaceAll(/^(?:\.?\/)+|(?<!\/)\/+$/g, '');
  return {
    id: path.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'),
    destination: path,
    place,
    include: [],
    exclude: [],
    newRoot: directory === '.' ? '' : directory,
    keepLegal: true,
    unwrap,
    ...(credentials !== undefined && credentials !== '' && { credentials }),
    entryDigest: digestOfWritten({ part, path, unwrap }),
    placeDigest: digestOfWritten(place),
  };
}

function placeOf({ image: from, git: repository, http: archive }: Part): SourcePlace {
  if (from !== undefined) return { kind: 'oci', ...(readImage(from.ref) ?? { image: from.ref }) };
  if (repository !== undefined) {
    const { ref } = repository;
    const revision = typeof ref === 'string' ? ref : (ref?.commit ?? ref?.tag ?? ref?.branch);
    return { kind: 'git', repo: repository.repository, ...(revision !== undefined && { ref: revision }) };
  }
  return { kind: 'http', url: archive?.url ?? '' };
}

/** What all sources are unpacked into: one bundle of several has a directory above them. */
function commonDirectory(paths: readonly string[]): string {
  const [first = BUNDLE, ...others] = paths;
  if (others.length === 0) return first;
  const parts = first.split('/');
  const same = parts.findIndex((part, at) => others.some((other) => other.split('/')[at] !== part));
  return parts.slice(0, same === -1 ? parts.length : same).join('/');
}
