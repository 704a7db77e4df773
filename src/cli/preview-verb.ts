import { JSON_OPTION } from './json-option.ts';
import type { Verb } from './verb.ts';

/** `portico preview` in the table of verbs. */
export const PREVIEW_VERB: Verb = {
  name: 'preview',
  summary: 'show what a package would execute, the permissions it brings, and its digest',
  usage: ['portico preview PACKAGE@REVISION|DIR [--approved DIGEST] [--since REVISION|DIR] [--repo DIR]'],
  description: [
    'A revision is read from its tag; a directory is shown as rendered. Permissions are those of RBAC, of pods, webhooks',
    'and served APIs, and identities in clouds: CredentialsRequests, annotations of service accounts, IAM resources.',
    'It also shows what happens to the objects of a cluster since the previous revision, or since what --since names: which',
    'stay, are added, removed, or recreated because a field cannot be changed.',
    'Exits with 1 if the package differs from what was approved: the digest in --approved, or the tree in the message of the tag.',
  ],
  options: [
    {
      name: 'approved',
      value: 'DIGEST',
      help: 'what was approved: a digest of preview, or the id of a git tree',
    },
    {
      name: 'since',
      value: 'REVISION|DIR',
      help: 'the earlier state to compare with (default: the revision before)',
    },
    {
      name: 'repo',
      value: 'DIR',
      help: 'the repository of the revision (default: the current directory)',
    },
    {
      name: 'config',
      value: 'FILE',
      help: "for a directory: the repository's portico.yaml, whose guardrails run too",
    },
    { name: 'allow-exec', help: 'for a directory: let pipelines run programs on this machine' },
    JSON_OPTION,
  ],
  examples: [
    'portico preview apps/web@v7',
    'portico preview apps/web@v7 --since v3',
    'portico preview ./web --approved sha256:… --json',
  ],
  positionals: { least: 1, most: 1 },
  load: async () => (await import('./preview.ts')).preview,
};
