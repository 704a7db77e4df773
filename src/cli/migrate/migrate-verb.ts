import { JSON_OPTION } from '../json-option.ts';
import type { Verb } from '../verb.ts';

/** `portico migrate` in the table of verbs. */
export const MIGRATE_VERB: Verb = {
  name: 'migrate',
  summary: "turn a Porch server's objects into configuration and documents",
  usage: [
    'portico migrate --from-porch FILE|DIR [--control NAME|ADDRESS] [--map FROM=TO]… [--push [--api URL]]',
  ],
  description: [
    "FILE is what kubectl prints (-o yaml or json) of Porch's repositories, packagevariants, packagevariantsets and",
    'packagerevisions; a DIR holds several such files. Without --push, nothing is written: each repository is cloned into a',
    'temporary directory and the difference is shown. With --push, the difference becomes one commit on the branch',
    'portico/migration of each repository, and, where FORGE_TOKEN holds a token, one pull request each. PackageVariants and',
    'their sets go to the repository of --control: a Porch Repository by name, or an address. --map says where addresses of',
    'a former host are now; both may end in /*. Once the pull request is merged, Portico goes on from what Porch left in git.',
  ],
  options: [
    { name: 'from-porch', value: 'FILE|DIR', help: "Porch's objects" },
    { name: 'control', value: 'NAME|ADDRESS', help: 'the repository that gets the variant documents' },
    { name: 'map', value: 'FROM=TO', many: true, help: 'where a repository, or all of a host, is now' },
    { name: 'push', help: 'push the branches, and open the pull requests' },
    {
      name: 'api',
      value: 'URL',
      help: "the forge's API, if it is neither github.com nor GitHub Enterprise Server's",
    },
    JSON_OPTION,
  ],
  examples: [
    'kubectl get repositories,packagevariants,packagevariantsets,packagerevisions -A -o yaml > porch.yaml',
    'portico migrate --from-porch porch.yaml --control fleet',
    "portico migrate --from-porch porch.yaml --control fleet --map 'https://gitea.example.com/*=https://github.com/*' --push",
  ],
  positionals: { least: 0, most: 0 },
  load: async () => (await import('./migrate.ts')).migrate,
};
