/** Manifests for clusters, judged by schema: Kubernetes' own kinds by the built-in kubeconform, those of tools by their definitions. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Application, ApplicationSet, AppProject } from '@kubernetes-models/argo-cd/argoproj.io/v1alpha1';
import { ExternalSecret } from '@kubernetes-models/external-secrets/external-secrets.io/v1';
import { ImagePolicy, ImageRepository } from '@kubernetes-models/flux-cd/image.toolkit.fluxcd.io/v1';
import { Kustomization } from '@kubernetes-models/flux-cd/kustomize.toolkit.fluxcd.io/v1';
import { Receiver } from '@kubernetes-models/flux-cd/notification.toolkit.fluxcd.io/v1';
import { Alert, Provider } from '@kubernetes-models/flux-cd/notification.toolkit.fluxcd.io/v1beta3';
import { GitRepository, OCIRepository } from '@kubernetes-models/flux-cd/source.toolkit.fluxcd.io/v1';
import { HTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1';
import {
  PrometheusRule,
  ServiceMonitor,
} from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { parseAllDocuments } from 'yaml';

import { portico } from '../cli/run-portico.ts';

interface Judge {
  new (data?: never): { validate(): void };
}

const KINDS: Readonly<Record<string, Judge>> = {
  Alert,
  AppProject,
  Application,
  ApplicationSet,
  ExternalSecret,
  GitRepository,
  HTTPRoute,
  ImagePolicy,
  ImageRepository,
  Kustomization,
  OCIRepository,
  PrometheusRule,
  Provider,
  Receiver,
  ServiceMonitor,
};

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** The documents of a text; those without content are left out. */
export function manifestsIn(text: string): readonly Manifest[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((one) => one !== null);
}

/** What is wrong with manifests, a sentence each; kinds that no schema knows are wrong, too, unless they are named. */
export async function faultsOf(text: string, unknown: readonly string[] = []): Promise<string[]> {
  const manifests = manifestsIn(text);
  const own = manifests.filter(({ apiVersion }) => isOfATool(apiVersion));
  const faults = own.flatMap((one) => (unknown.includes(one.kind) ? [] : faultOf(one)));
  const rest = manifests.filter((one) => !own.includes(one));
  if (rest.length === 0) return faults;
  const directory = mkdtempSync(join(tmpdir(), 'portico-manifests-'));
  try {
    mkdirSync(join(directory, 'all'));
    writeFileSync(
      join(directory, 'all/all.json.yaml'),
      rest.map((one) => JSON.stringify(one)).join('\n---\n'),
    );
    const options = ['strict=true', 'ignore_missing_schemas=false'];
    const args = ['eval', join(directory, 'all'), '-i', 'kubeconform:v0.1', '--json', '--', ...options];
    const { stdout } = await portico(args);
    const { findings } = JSON.parse(stdout) as { findings: { message: string; severity: string }[] };
    return [...faults, ...findings.map(({ message }) => message)];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function isOfATool(apiVersion: string): boolean {
  return /^(?:argoproj\.io|configsync\.gke\.io|external-secrets\.io|monitoring\.coreos\.com|gateway\.networking\.k8s\.io|[a-z]+\.toolkit\.fluxcd\.io)\//.test(
    apiVersion,
  );
}

function faultOf(manifest: Manifest): string[] {
  const { kind, metadata, apiVersion } = manifest;
  const Kind = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  if (Kind === undefined) return [`${kind} ${metadata.name}: no schema`];
  const judged = new Kind(manifest as never);
  const { apiVersion: known } = judged as unknown as Manifest;
  if (known !== apiVersion) return [`${kind} ${metadata.name}: ${apiVersion} is not ${known}`];
  try {
    judged.validate();
    return [];
  } catch (error) {
    return [`${kind} ${metadata.name}: ${error instanceof Error ? error.message : String(error)}`];
  }
}
