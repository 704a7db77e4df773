/** As kubectl, Flux, Argo CD and Config Sync name the manifests that they apply, in whatever case. */
const APPLIED = /\.(?:ya?ml|json)$/i;

/** True for names of manifests: guardrails judge these, whether functions see them or not. */
export function isApplied(path: string): boolean {
  return APPLIED.test(path);
}
