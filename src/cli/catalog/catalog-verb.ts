import type { Verb } from '../verb.ts';

/** `portico catalog …` in the table of verbs. */
export const CATALOG_VERB: Verb = {
  name: 'catalog',
  summary: 'read, check and write file-based operator catalogs',
  usage: [
    'portico catalog validate DIR [--strict]',
    'portico catalog render DIR [-o yaml|json]',
    'portico catalog list packages|channels|bundles DIR [--package NAME]',
    'portico catalog graph DIR [--package NAME] [--minimum-edge BUNDLE] [--v0]',
    'portico catalog template FILE [--bundles DIR] [-o yaml|json]',
    'portico catalog resolve DIR --package NAME [--channel NAME]… [--version RANGE] [--policy POLICY] [--installed BUNDLE]',
    'portico catalog successors DIR --package NAME [--channel NAME]… --installed BUNDLE',
    'portico catalog range RANGE VERSION…',
  ],
  description: [
    'validate judges as opm does, and warns of what opm passes by. render writes the one canonical form; of a bundle',
    'directory it is the document that a catalog has of it. graph is Mermaid. template takes olm.semver,',
    'olm.template.basic and olm.template.substitutes; --bundles holds rendered bundles, each in a file named as its',
    'image with /, : and @ as _. resolve names the bundle to install and successors those that an installation may',
    'move to; a refusal says whether the version is missing or only out of reach. range asks which versions lie in a',
    'skipRange. Nothing is written but to stdout.',
  ],
  options: [
    { name: 'strict', help: 'validate: fail on warnings too' },
    {
      name: 'output',
      short: 'o',
      value: 'FORMAT',
      choices: ['yaml', 'json'],
      help: 'render, template: how documents are written',
    },
    { name: 'package', value: 'NAME', empty: 'absent', help: 'the package' },
    { name: 'channel', value: 'NAME', empty: 'absent', many: true, help: 'only this channel' },
    {
      name: 'minimum-edge',
      value: 'BUNDLE',
      empty: 'absent',
      help: 'graph: nothing below the version of this bundle',
    },
    { name: 'v0', help: 'graph: mark what OLM v0 does not offer because it is skipped' },
    { name: 'bundles', value: 'DIR', help: 'template: where the rendered bundles are' },
    {
      name: 'version',
      value: 'RANGE',
      empty: 'absent',
      help: 'resolve: versions to choose from, such as ">=1.2 <2"',
    },
    {
      name: 'policy',
      value: 'POLICY',
      choices: ['CatalogProvided', 'SelfCertified'],
      help: 'resolve: whether only edges of the catalog count',
    },
    { name: 'installed', value: 'BUNDLE', empty: 'absent', help: 'the bundle that is installed' },
    {
      name: 'installed-version',
      value: 'VERSION',
      empty: 'absent',
      help: 'its version, where the catalog no longer has it',
    },
    { name: 'json', help: 'print one JSON document on stdout' },
  ],
  examples: [
    'portico catalog validate ./catalog --json',
    'portico catalog graph ./catalog --package redis > redis.mmd',
    'portico catalog template ./semver.yaml --bundles ./bundles > catalog.yaml',
    'portico catalog resolve ./catalog --package redis --channel stable --installed redis.v1.2.0',
    'portico catalog range ">=1.0.0 <2.0.0" 1.4.2 2.0.0-rc.1',
  ],
  positionals: { least: 1, most: 10_001 },
  load: async () => (await import('./catalog.ts')).catalog,
};
