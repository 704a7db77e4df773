/** The tools that may apply a package to a cluster, as `spec.deploy` names them. */
export const DEPLOY_TOOLS = ['flux', 'argocd', 'kubectl', 'config-sync'] as const;

export type DeployTool = (typeof DEPLOY_TOOLS)[number];

export const TOOL_NAMES: Readonly<Record<DeployTool, string>> = {
  flux: 'Flux',
  argocd: 'Argo CD',
  kubectl: 'kubectl',
  'config-sync': 'Config Sync',
};
