import type { AnywhereCommand } from './command.ts';
import { newPackage } from './draft-here.ts';
import { isIssue } from './fits.ts';
import { refuse } from './refusal.ts';

export const init: AnywhereCommand = {
  name: 'init',
  usage: 'init <path> [--workspace=<name>] [--description=<text>] [--keywords=<a,b>]',
  summary: 'Open a draft of a new, empty package; in a pull request for a parent package, add a subpackage.',
  examples: [
    { line: '/portico init apps/web', does: 'opens a draft pull request with an empty package' },
    {
      line: "/portico init apps/web --workspace=first --description='The web shop'",
      does: 'names the branch drafts/apps/web/first and sets the description',
    },
  ],
  accepts: { positional: 1, options: { workspace: 'value', description: 'value', keywords: 'value' } },
  minimumRole: 'write',
  mayAlso: [],
  contexts: 'pull-or-issue',
  // What comes is new: nothing that the caller saw can have moved under it.
  guard: 'open',
  fits: isIssue,
  decide(state, { positional: [path], options }) {
    if (path === undefined)
      return refuse('no-path', 'the path of the package is missing', 'Write /portico init apps/web.');
    const description = options.get('description');
    const keywords = options.get('keywords');
    return newPackage(state, path, options.get('workspace'), {
      kind: 'init',
      ...(typeof description === 'string' && description !== '' && { description }),
      ...(typeof keywords === 'string' && { keywords: keywords.split(',').filter((word) => word !== '') }),
    });
  },
};
