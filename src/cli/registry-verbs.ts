import { REGISTRY_OPTIONS } from './registry-options.ts';
import type { Verb } from './verb.ts';

const JSON_OPTION = { name: 'json', help: 'print one JSON document on stdout' };

/** `portico push` in the table of verbs. */
export const PUSH_VERB: Verb = {
  name: 'push',
  summary: 'put a package into a registry, as an artefact that Flux and Argo CD read',
  usage: [
    'portico push DIR HOST/REPOSITORY:TAG [--channel NAME]… [--rendered] [--source URL] [--revision TEXT]',
  ],
  description: [
    'Prints the digest, which follows from the files and from what --source and --revision say: the same on every machine.',
    'A tag such as v3 or v1.2.3 is a revision: once it is there it never leads to another digest, and pushing another is',
    'refused. Every other tag is a channel and moves. Running it again sends nothing.',
  ],
  options: [
    { name: 'channel', value: 'NAME', many: true, help: 'another tag that moves here, such as stable' },
    {
      name: 'rendered',
      help: 'only the resources that are applied: no Kptfile, no local configuration, no other files',
    },
    { name: 'source', value: 'URL', help: 'the repository that the package is from' },
    { name: 'revision', value: 'TEXT', help: 'where in its history, such as v3@sha1:COMMIT' },
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
  summary: 'take the files of an artefact or image out of a registry',
  usage: ['portico pull HOST/REPOSITORY[:TAG][@DIGEST] DIR'],
  description: [
    'DIR is new or empty, and appears all at once; where it holds just these files nothing is written. Every byte is what the',
    'digests say. Layers of images are put one on another, whiteouts included. Links, devices and paths that lead out are refused.',
  ],
  options: [...REGISTRY_OPTIONS, JSON_OPTION],
  examples: [
    'portico pull ghcr.io/acme/web:v3 ./web',
    'portico pull oci://ghcr.io/acme/web:stable ./web --json',
  ],
  positionals: { least: 2, most: 2 },
  load: async () => (await import('./pull.ts')).pull,
};
