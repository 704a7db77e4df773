/** Certificates of webhooks: who issues them, and where an operator finds its own. */
import type { YamlValue } from '../package/yaml/edit.ts';
import { kindOf, mapAt, mapsAt, textAt, withAnnotations, type Fields, type Manifest } from './manifest.ts';
import { joinedName } from './object-name.ts';

export type CertificateProvider = 'cert-manager' | 'service-ca';

export interface Certificate {
  readonly provider: CertificateProvider;
  readonly namespace: string;
  readonly service: string;
  /** Of the certificate and of the Secret that holds it. */
  readonly name: string;
}

/** The Service in front of a deployment that serves webhooks. */
export function webhookServiceName(deployment: string): string {
  return joinedName(deployment.replaceAll('.', '-'), 'service');
}

export function certificateOf(
  deployment: string,
  namespace: string,
  provider: CertificateProvider,
): Certificate {
  const service = webhookServiceName(deployment);
  return { provider, namespace, service, name: joinedName(service, 'cert') };
}

/** The object as its provider has to find it, to fill in the authority or to issue the certificate. */
export function withCertificate(manifest: Manifest, certificate: Certificate | undefined): Manifest {
  if (certificate === undefined) return manifest;
  const { provider, namespace, name } = certificate;
  const isService = kindOf(manifest) === 'Service';
  if (provider === 'service-ca') {
    const key = isService ? 'serving-cert-secret-name' : 'inject-cabundle';
    return withAnnotations(manifest, { [`service.beta.openshift.io/${key}`]: isService ? name : 'true' });
  }
  if (isService) return manifest;
  return withAnnotations(manifest, { 'cert-manager.io/inject-ca-from': `${namespace}/${name}` });
}

/** What cert-manager needs to issue the certificate; OpenShift's authority needs nothing. */
export function issuerObjects({ provider, namespace, service, name }: Certificate): readonly Manifest[] {
  if (provider !== 'cert-manager') return [];
  const issuer = joinedName(name, 'selfsigned-issuer');
  const apiVersion = 'cert-manager.io/v1';
  const host = `${service}.${namespace}`;
  return [
    { apiVersion, kind: 'Issuer', metadata: { name: issuer, namespace }, spec: { selfSigned: {} } },
    {
      apiVersion,
      kind: 'Certificate',
      metadata: { name, namespace },
      spec: {
        commonName: host,
        dnsNames: [host, `${host}.svc`, `${host}.svc.cluster.local`],
        // Two years, renewed a day before their end: OLM's own certificates are such.
        duration: '17520h0m0s',
        issuerRef: { name: issuer },
        renewBefore: '24h0m0s',
        secretName: name,
        usages: ['server auth'],
      },
    },
  ];
}

const MOUNTS = [
  { name: 'webhook-cert', path: '/tmp/k8s-webhook-server/serving-certs', files: ['tls.crt', 'tls.key'] },
  {
    name: 'apiservice-cert',
    path: '/apiserver.local.config/certificates',
    files: ['apiserver.crt', 'apiserver.key'],
  },
];

/** Mounts the certificate where operators expect it, in place of whatever was mounted there. */
export function withCertificateVolumes(deployment: Manifest, certificate: Certificate): Manifest {
  const spec = mapAt(deployment, 'spec');
  const template = mapAt(spec, 'template');
  const pod = mapAt(template, 'spec');
  const containers = mapsAt(pod, 'containers');
  const replaced = new Set<string>(MOUNTS.map(({ name }) => name));
  const paths = new Set<string>(MOUNTS.map(({ path }) => path));
  for (const container of containers) {
    for (const mount of mapsAt(container, 'volumeMounts')) {
      if (paths.has(textAt(mount, 'mountPath'))) replaced.add(textAt(mount, 'name'));
    }
  }
  const kept = (fields: Fields, list: string): readonly Fields[] =>
    mapsAt(fields, list).filter((item) => !replaced.has(textAt(item, 'name')));
  const volumes: readonly YamlValue[] = MOUNTS.map(({ name, files: [cert = '', key = ''] }) => ({
    name,
    secret: {
      secretName: certificate.name,
      items: [
        { key: 'tls.crt', path: cert },
        { key: 'tls.key', path: key },
      ],
    },
  }));
  const mounts = MOUNTS.map(({ name, path }) => ({ name, mountPath: path }));
  const mounted = {
    ...pod,
    volumes: [...kept(pod, 'volumes'), ...volumes],
    containers: containers.map((container) => ({
      ...container,
      volumeMounts: [...kept(container, 'volumeMounts'), ...mounts],
    })),
  };
  return { ...deployment, spec: { ...spec, template: { ...template, spec: mounted } } };
}
