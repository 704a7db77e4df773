/** The rulesets that a registered repository should have, as GitHub's "Create a repository ruleset" takes them. */

/** The one check that a ruleset has to require: it needs all the others, and the approvals. */
const REQUIRED_CHECK = 'portico';

type Rule =
  | {
      type: 'required_status_checks';
      parameters: {
        required_status_checks: { context: string; integration_id: number }[];
        strict_required_status_checks_policy: boolean;
      };
    }
  | { type: 'creation' }
  | { type: 'update' }
  | { type: 'deletion' };

/** The body of the request, which clients take as they have it. */
export interface Ruleset {
  name: string;
  target: 'branch' | 'tag';
  enforcement: 'active';
  conditions: { ref_name: { include: string[]; exclude: string[] } };
  rules: Rule[];
  bypass_actors?: { actor_id: number; actor_type: 'Integration'; bypass_mode: 'always' }[];
}

/**
 * Nothing comes to the registered branch without the check, by the button, auto-merge, queue or push. The App is its
 * expected source, so that nobody else's check or status of that name counts.
 */
export function branchRuleset(branch: string, appId: number): Ruleset {
  return {
    name: 'portico',
    target: 'branch',
    enforcement: 'active',
    conditions: { ref_name: { include: [`refs/heads/${branch}`], exclude: [] } },
    rules: [
      {
        type: 'required_status_checks',
        parameters: {
          required_status_checks: [{ context: REQUIRED_CHECK, integration_id: appId }],
          strict_required_status_checks_policy: false,
        },
      },
    ],
  };
}

/** The App alone makes, moves and takes away tags of revisions. */
export function tagRuleset(appId: number): Ruleset {
  return {
    name: 'portico revisions',
    target: 'tag',
    enforcement: 'active',
    conditions: { ref_name: { include: ['refs/tags/v*', 'refs/tags/**/v*'], exclude: [] } },
    rules: [{ type: 'creation' }, { type: 'update' }, { type: 'deletion' }],
    bypass_actors: [{ actor_id: appId, actor_type: 'Integration', bypass_mode: 'always' }],
  };
}
