/** The tools that may apply a package to a cluster, as `spec.deploy` names them. */
export const DEPLOY_TOOLS = ['flux', 'argocd', 'kubectl', 'config-sync'] as const;

export type DeployTool = (typeof DEPLOY_TOOLS)[number];

export const TOOL_NAMES: Readonly<Record<DeployTool, string>> = {
  flux: 'Flux',
  argocd: 'Argo CD',
  kubectl: 'kubectl',
  'config-sync': 'Config Sync',
};

/** Names of the manifests that all of them apply, in whatever case. */
const APPLIED = /\.(?:ya?ml|json)$/i;

/** True for names of manifests: guardrails judge these, whether functions see them or not. */
export function isApplied(path: string): boolean {
  return APPLIED.test(path);
}
