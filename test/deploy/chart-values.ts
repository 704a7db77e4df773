/** Values of the chart with which it makes all that it can, for `--set`. */
export const EVERYTHING = [
  'app.id=1234567',
  'app.host=ghe.acme.example',
  'certificates.configMap=authorities',
  'env.LOG_LEVEL=debug',
  'serviceAccount.token=true',
  'ingress.enabled=true,ingress.host=portico.acme.example,ingress.tlsSecret=tls,ingress.className=nginx',
  'httpRoute.enabled=true,httpRoute.host=portico.acme.example,httpRoute.parentRefs[0].name=public',
  'serviceMonitor.enabled=true,serviceMonitor.labels.release=prometheus',
  'prometheusRule.enabled=true,prometheusRule.labels.release=prometheus',
  'grafanaDashboard.enabled=true',
  'secret.external.enabled=true,secret.external.store.name=vault',
  `image.digest=sha256:${'a'.repeat(64)}`,
];
