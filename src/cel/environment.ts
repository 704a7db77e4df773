/** The functions and types that expressions have: CEL's own, its extensions, and Kubernetes' libraries. */
import { celEnv, type CelEnv } from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';
import { createRegistry, type Registry } from '@bufbuild/protobuf';

import { FORMAT, formats } from './library/format.ts';
import { lists } from './library/lists.ts';
import { addresses, NETWORK_TYPES, urls } from './library/network.ts';
import { OPTIONAL, optionals } from './library/optional.ts';
import { QUANTITY, quantities } from './library/quantity.ts';
import { regex } from './library/regex.ts';
import { SEMVER, versions } from './library/semver.ts';
import { encoders, math, sets } from './library/sets.ts';
import { turn } from './work.ts';

/** An environment; `registry` and `namespace` only for conformance with messages. */
export function environment(registry?: Registry, namespace?: string): CelEnv {
  const own = createRegistry(OPTIONAL, QUANTITY, SEMVER, FORMAT, ...NETWORK_TYPES);
  return celEnv({
    ...(namespace !== undefined && { namespace }),
    registry: registry === undefined ? own : createRegistry(own, registry),
    funcs: [
      turn,
      ...strings,
      ...lists,
      ...sets,
      ...math,
      ...encoders,
      ...regex,
      ...quantities,
      ...versions,
      ...addresses,
      ...urls,
      ...formats,
      ...optionals,
    ],
  });
}
