/**
 * Which resources are for tools alone. The mark `config.kubernetes.io/local-config` does not say it: kpt and Config Sync leave
 * out what carries it, and kubectl, Flux and Argo CD apply it.
 */
import { groupOf, textAt, valueAt, type Fields } from './plain-values.ts';

/** Groups that no API server serves. */
const TOOL_GROUP =
  /^(?:fn\.kpt\.dev|config\.portico\.dev|(?:[^/]+\.)?config\.k8s\.io|config\.kubernetes\.io)$/;

export function isMarkedLocal(value: unknown): boolean {
  const mark = valueAt(value, 'metadata', 'annotations', 'config.kubernetes.io/local-config') ?? 'false';
  return mark !== 'false' && mark !== false;
}

/** A marked ConfigMap without a namespace: functions have their configuration in such. */
export function isLocalConfigMap(value: Fields): boolean {
  return (
    isMarkedLocal(value) &&
    value['apiVersion'] === 'v1' &&
    value['kind'] === 'ConfigMap' &&
    textAt(value, 'metadata', 'namespace') === ''
  );
}

/** Kptfiles, and marked resources that no cluster takes, or of which it gets nothing but data. */
export function isForTools(value: Fields): boolean {
  const group = groupOf(textAt(value, 'apiVersion'));
  if (group === 'kpt.dev' && value['kind'] === 'Kptfile') return true;
  return isLocalConfigMap(value) || (isMarkedLocal(value) && TOOL_GROUP.test(group));
}
