/** What whoever installs an operator changes about its Deployments, by OLM's rules. */

import { z } from 'zod';

import { isMap } from '../fbc/go-fields.ts';
import type { YamlValue } from '../package/yaml/edit.ts';
import { goJson } from './go-json.ts';
import { listAt, mapAt, mapsAt, textAt, type Fields, type Manifest } from './manifest.ts';

const map = z.custom<Fields>((value) => isMap(value as YamlValue), 'expected a map');
const named = z.custom<Fields>(
  (value) => isMap(value as YamlValue) && typeof (value as Fields)['name'] === 'string',
  'expected a map with a name',
);

/** The deploymentConfig of an operator: OLM's SubscriptionConfig without its selector. */
export const deploymentConfigSchema = z.strictObject({
  nodeSelector: map.optional(),
  tolerations: z.array(map).optional(),
  resources: map.optional(),
  env: z.array(named).optional(),
  envFrom: z.array(map).optional(),
  volumes: z.array(named).optional(),
  volumeMounts: z.array(named).optional(),
  affinity: map.optional(),
  annotations: z.record(z.string(), z.string()).optional(),
});

export type DeploymentConfig = z.output<typeof deploymentConfigSchema>;

/** The Deployment with the configuration in all its containers. Annotations that it has already stay as they are. */
export function withDeploymentConfig(deployment: Manifest, config: DeploymentConfig): Manifest {
  const spec = mapAt(deployment, 'spec');
  const template = mapAt(spec, 'template');
  const annotated = config.annotations === undefined ? {} : config.annotations;
  const metadata = (of: Fields): Fields => {
    const annotations: Fields = { ...annotated, ...mapAt(of, 'annotations') };
    return Object.keys(annotations).length === 0 ? of : { ...of, annotations };
  };
  return {
    ...deployment,
    metadata: metadata(mapAt(deployment, 'metadata')),
    spec: {
      ...spec,
      template: {
        ...template,
        metadata: metadata(mapAt(template, 'metadata')),
        spec: podOf(mapAt(template, 'spec'), config),
      },
    },
  };
}

function podOf(pod: Fields, config: DeploymentConfig): Fields {
  const { nodeSelector, tolerations, volumes, affinity } = config;
  const { affinity: old, ...others } = pod;
  const placed = affinity === undefined ? old : affinityOf(isMap(old) ? old : {}, affinity);
  return {
    ...others,
    ...(placed !== undefined && { affinity: placed }),
    ...(nodeSelector !== undefined && { nodeSelector }),
    ...(tolerations !== undefined && {
      tolerations: withoutRepeats(listAt(pod, 'tolerations'), tolerations),
    }),
    ...(volumes !== undefined && { volumes: byName(mapsAt(pod, 'volumes'), volumes) }),
    containers: mapsAt(pod, 'containers').map((container) => containerOf(container, config)),
  };
}

function containerOf(container: Fields, config: DeploymentConfig): Fields {
  const { env, envFrom, volumeMounts, resources } = config;
  return {
    ...container,
    ...(env !== undefined && { env: byName(mapsAt(container, 'env'), env) }),
    ...(envFrom !== undefined && { envFrom: withoutRepeats(listAt(container, 'envFrom'), envFrom) }),
    ...(volumeMounts !== undefined && {
      volumeMounts: byName(mapsAt(container, 'volumeMounts'), volumeMounts),
    }),
    ...(resources !== undefined && { resources }),
  };
}

/** An empty affinity erases all of it, an empty part that part; parts that are not named stay. */
function affinityOf(old: Fields, wanted: Fields): Fields | undefined {
  if (Object.keys(wanted).length === 0) return undefined;
  const parts = Object.entries({ ...old, ...wanted }).filter(
    ([, part]) => part !== null && !(isMap(part) && Object.keys(part).length === 0),
  );
  return parts.length === 0 ? undefined : Object.fromEntries(parts);
}

/** New items take the place of those with their name. */
function byName(old: readonly Fields[], added: readonly Fields[]): readonly Fields[] {
  const wanted = new Map(added.map((item) => [textAt(item, 'name'), item]));
  const names = new Set(old.map((item) => textAt(item, 'name')));
  return [
    ...old.map((item) => wanted.get(textAt(item, 'name')) ?? item),
    ...[...wanted].filter(([name]) => !names.has(name)).map(([, item]) => item),
  ];
}

function withoutRepeats(old: readonly YamlValue[], added: readonly YamlValue[]): readonly YamlValue[] {
  const there = new Set(old.map((item) => goJson(item, true)));
  return [...old, ...added.filter((item) => !there.has(goJson(item, true)) && there.add(goJson(item, true)))];
}
