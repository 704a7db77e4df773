import type { Option } from './verb.ts';

/** Of the verbs that speak to a registry. */
export const REGISTRY_OPTIONS: readonly Option[] = [
  {
    name: 'authfile',
    value: 'FILE',
    help: 'where credentials are, as docker login and skopeo login write it (default: where these two look)',
  },
  { name: 'plain-http', help: 'speak to the registry without TLS' },
];
