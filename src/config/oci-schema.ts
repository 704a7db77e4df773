import { z } from 'zod';

import { text } from './checked-text.ts';
import { credentialName } from './credential-name.ts';
import { globProblem } from './glob.ts';

/** Where a registry keeps what is published. */
export interface OciConfig {
  /** Host and the path below which each package has a repository: `ghcr.io/acme/packages`. */
  readonly registry: string;
  /** Globs over package paths. */
  readonly packages: readonly string[];
  /** Also what of the package is applied, by itself, below `/rendered`. */
  readonly rendered: boolean;
  /** Name of a credential of the host that Portico runs on. */
  readonly credentials?: string;
}

const PLACE =
  /^(?:localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+|[a-z0-9.-]+(?=:))(?::\d{1,5})?(?:\/[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*)+$/;

/** `spec.oci` of the configuration. */
export const ociSettings = z.strictObject({
  registry: z
    .string()
    .max(200)
    .regex(PLACE, 'must be a host and a path in lower case, such as ghcr.io/acme/packages')
    .meta({ description: 'Host and path below which each package has a repository: ghcr.io/acme/packages.' }),
  packages: z
    .array(text(globProblem))
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'Globs over package paths: which packages are pushed. Default: all.' }),
  rendered: z.boolean().optional().meta({
    description:
      'Also push the resources of each package that are applied, to a separate repository that ends in /rendered.',
    default: false,
  }),
  credentials: credentialName
    .optional()
    .meta({ description: 'Name of a credential that the host of Portico holds.' }),
});

export function toOci(written: z.infer<typeof ociSettings>): OciConfig {
  return {
    registry: written.registry,
    packages: written.packages ?? ['**', '.'],
    rendered: written.rendered ?? false,
    ...(written.credentials !== undefined && { credentials: written.credentials }),
  };
}
