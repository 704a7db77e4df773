/** The check that a ruleset should require; its external id is the content digest that it speaks of. */
export const AGGREGATE_CHECK = 'portico';

export const RENDER_CHECK = 'portico/render';
export const PACKAGE_CHECK = 'portico/package';
export const CONFLICTS_CHECK = 'portico/conflicts';
/** What the proposal lets packages do that they could not before. */
export const POWER_CHECK = 'portico/power';
/** Whether the people who must approve the content have done so. */
export const APPROVAL_CHECK = 'portico/approval';
export const CONFIG_CHECK = 'portico/config';
/** Whether channel files keep their rules, and what they ask for is there; on the registered branch, whether they are in force. */
export const CHANNELS_CHECK = 'portico/channels';
/** What a proposal changes of what channels offer. */
export const GRAPH_CHECK = 'portico/graph';
/** Whether what packages take from elsewhere is what their locks pin, and what that does to custom resource definitions. */
export const SOURCES_CHECK = 'portico/sources';
/** On a proposal that removes packages. */
export const DELETION_CHECK = 'portico/deletion';
/** On the registered branch, where something on it is not published. */
export const PUBLICATION_CHECK = 'portico/publication';
/** On the registered branch, where something published cannot be pushed to the registry. */
export const REGISTRY_CHECK = 'portico/registry';

export function guardrailCheck(name: string): string {
  return `guardrail/${name}`;
}

/** The guardrail that a check is of; undefined for another check. */
export function guardrailOf(check: string): string | undefined {
  const start = guardrailCheck('');
  return check.startsWith(start) ? check.slice(start.length) : undefined;
}

/** How the title of a check ends that fails and stands in nobody's way. */
export const WAIVED = ', waived';
