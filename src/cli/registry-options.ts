import type { Option } from './verb.ts';

/** Of the verbs that speak to a registry. */
export const REGISTRY_OPTIONS: readonly Option[] = [
  {
    name: 'authfile',
    value: 'FILE',
    help: 'credentials file, as docker login and skopeo login write it (default: where those two look)',
  },
  { name: 'plain-http', help: 'connect to the registry without TLS' },
];
