import { TOP } from '../revision/package-path.ts';
import type { AnywhereCommand } from './command.ts';
import { newPackage } from './draft-here.ts';
import { isIssue } from './fits.ts';
import { refuse } from './refusal.ts';
import { readUpstream } from './upstream-wish.ts';

export const clone: AnywhereCommand = {
  name: 'clone',
  usage: 'clone <upstream>[@<revision>] [<path>] [--workspace=<name>]',
  summary:
    'Open a draft of a new package that is cloned from another one; in a pull request for a parent package, add a subpackage.',
  examples: [
    { line: '/portico clone database', does: 'clones the newest revision from the default upstream' },
    {
      line: '/portico clone acme/blueprints:database@v3 apps/db',
      does: 'clones v3 from another repository on this forge',
    },
    {
      line: '/portico clone https://github.com/kptdev/kpt.git/package-examples/nginx@v0.9 nginx',
      does: 'clones from an address that `upstreams.allow` lists',
    },
  ],
  accepts: { positional: 2, options: { workspace: 'value' } },
  minimumRole: 'write',
  mayAlso: [],
  contexts: 'pull-or-issue',
  guard: 'open',
  fits: isIssue,
  decide(state, { positional: [from, to], options }) {
    if (from === undefined) {
      return refuse('no-upstream', 'the upstream is missing', 'Write /portico clone database@v3 apps/db.');
    }
    const upstream = readUpstream(from);
    if (!('directory' in upstream)) return upstream;
    const name =
      upstream.directory === TOP ? upstream.repo.split('/').at(-1) : upstream.directory.split('/').at(-1);
    return newPackage(state, to ?? name ?? from, options.get('workspace'), { kind: 'clone', upstream });
  },
};
