import { JSON_OPTION } from './json-option.ts';
import { REGISTRY_OPTIONS } from './registry-options.ts';
import type { Verb } from './verb.ts';

/** `portico push` in the table of verbs. */
export const PUSH_VERB: Verb = {
  name: 'push',
  summary: 'push a package to a registry, as an artefact that Flux and Argo CD read',
  usage: [
    'portico push DIR HOST/REPOSITORY:TAG [--channel NAME]… [--rendered] [--source URL] [--revision TEXT]',
  ],
  description: [
    'Prints the digest, which depends only on the files, --source and --revision: it is the same on every machine.',
    'A tag such as v3 or v1.2.3 is a revision: once it exists, it never moves, and pushing another digest to it is',
    'refused. Every other tag is a channel and moves. Pushing the same package again sends nothing.',
  ],
  options: [
    { name: 'channel', value: 'NAME', many: true, help: 'also move this tag, such as stable' },
    {
      name: 'rendered',
      help: 'push only the resources that are applied: no Kptfile, no local configuration, no other files',
    },
    { name: 'source', value: 'URL', help: 'the repository of the package' },
    { name: 'revision', value: 'TEXT', help: 'the revision in that repository, such as v3@sha1:COMMIT' },
    ...REGISTRY_OPTIONS,
    JSON_OPTION,
  ],
  examples: [
    'portico push ./web ghcr.io/acme/web:v3 --channel stable --source https://github.com/acme/blueprints',
    'portico push ./web localhost:5000/web:v3 --json',
  ],
  positionals: { least: 2, most: 2 },
  load: async () => (await import('./push.ts')).push,
};

/** `portico pull` in the table of verbs. */
export const PULL_VERB: Verb = {
  name: 'pull',
  summary: 'pull the files of an artefact or image from a registry',
  usage: ['portico pull HOST/REPOSITORY[:TAG][@DIGEST] DIR'],
  description: [
    'DIR must be new or empty, and is written all at once; if it already holds exactly these files, nothing is written. Digests',
    'are verified. Image layers are stacked, with whiteouts. Links, devices and paths that leave DIR are refused.',
  ],
  options: [...REGISTRY_OPTIONS, JSON_OPTION],
  examples: [
    'portico pull ghcr.io/acme/web:v3 ./web',
    'portico pull oci://ghcr.io/acme/web:stable ./web --json',
  ],
  positionals: { least: 2, most: 2 },
  load: async () => (await import('./pull.ts')).pull,
};
