import type { Option } from './verb.ts';

/** Of the verbs that speak to a registry. */
export const REGISTRY_OPTIONS: readonly Option[] = [
  {
    name: 'authfile',
    value: 'FILE',
    help: 'credentials file, as docker login and skopeo login write it (default: where those two look)',
  },
  {
    name: 'token-host',
    value: 'HOST',
    help: 'also send the credentials of the registry to this token server (default: only in its parent domain)',
  },
  { name: 'plain-http', help: 'connect to the registry without TLS' },
];
