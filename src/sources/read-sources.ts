/** `portico-sources.yaml` of a package → its sources and processors, or what is wrong with it, on its line. */
import { z } from 'zod';

import type { ConfigProblem } from '../config/config-problem.ts';
import { problemsOf, type ConfigSource } from '../config/repository-document.ts';
import { readYaml, type YamlDocument } from '../config/yaml-place.ts';
import { documentDigest } from '../package/sources/source-digest.ts';
import { bundleDeploymentSchema, convertBundleDeployment, RUKPAK_API } from './bundle-deployment.ts';
import { overlap } from './destination.ts';
import { sourcesDocumentSchema, sourcesJsonSchema } from './source-schema.ts';
import type { Source, SourcesDocument } from './source.ts';
import { sourceOf } from './written-source.ts';

const REFERENCE = 'docs/sources.md';

export type ReadSources<Processor> =
  | { readonly document: SourcesDocument<Processor> }
  | { readonly problems: readonly ConfigProblem[] };

/**
 * Reads one document. Never throws: what cannot be used is a problem with its place and what to do.
 *
 * @param processors the schema of `processors`, which belong to others
 */
export function readSources<Processor extends { readonly out: string }>(
  { file, bytes }: ConfigSource,
  processors: z.ZodType<readonly Processor[]>,
): ReadSources<Processor> {
  const yaml = readYaml(file, bytes);
  if (yaml.problems.length > 0) {
    return { problems: yaml.problems.map((one) => ({ ...one, hint: HINTS[one.code] ?? one.hint })) };
  }
  const findings = (
    issues: readonly z.core.$ZodIssue[],
    schema = (): unknown => sourcesJsonSchema(processors),
  ): ReadSources<Processor> => ({
    problems: issues
      .flatMap((issue) => problemsOf({ file, issue, yaml, jsonSchema: schema, reference: REFERENCE }))
      .sort((a, b) => a.line - b.line || a.column - b.column),
  });
  const { data } = yaml;
  if (isBundleDeployment(data)) {
    const parsed = bundleDeploymentSchema.safeParse(data, { reportInput: true });
    if (!parsed.success) return findings(parsed.error.issues, bundleDeploymentJsonSchema);
    const converted = convertBundleDeployment(parsed.data);
    const checked = processors.safeParse(converted.processors, { reportInput: true });
    if (!checked.success) return findings(at(['spec'], checked.error.issues), bundleDeploymentJsonSchema);
    return { document: { ...converted, processors: checked.data, digest: documentDigest(data) } };
  }
  const parsed = sourcesDocumentSchema.safeParse(data, { reportInput: true });
  if (!parsed.success) return findings(parsed.error.issues);
  const { sources: written, paused } = parsed.data;
  const checked = processors.safeParse(parsed.data.processors ?? [], { reportInput: true });
  if (!checked.success) return findings(at(['processors'], checked.error.issues));
  const raw = listAt(data, 'sources');
  const sources = written.map((one, index) => sourceOf(one, raw[index]));
  const problems = outputProblems(file, yaml, sources, checked.data);
  if (problems.length > 0) return { problems };
  const { reason, until } = paused ?? {};
  return {
    document: {
      sources,
      processors: checked.data,
      files: new Map(),
      ...(reason !== undefined && { paused: { reason, ...(until !== undefined && { until }) } }),
      digest: documentDigest(data as Readonly<Record<string, unknown>>),
    },
  };
}

/** Where the words of the repository's configuration would mislead. */
const HINTS: Readonly<Record<string, string>> = {
  empty: 'Write a document of kind Sources, or remove the file.',
  documents: 'Keep one document in this file.',
  'too-large': 'Put long values into files of the package.',
};

function bundleDeploymentJsonSchema(): unknown {
  return z.toJSONSchema(bundleDeploymentSchema, { io: 'input', target: 'draft-7', unrepresentable: 'any' });
}

function isBundleDeployment(data: unknown): data is Readonly<Record<string, unknown>> {
  return data !== null && typeof data === 'object' && 'apiVersion' in data && data.apiVersion === RUKPAK_API;
}

function at(path: readonly PropertyKey[], issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  return issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
}

function listAt(data: unknown, field: string): readonly unknown[] {
  const value: unknown = data !== null && typeof data === 'object' ? Reflect.get(data, field) : undefined;
  return Array.isArray(value) ? value : [];
}

/** What a processor fills is no source's: one would write over the other. */
function outputProblems(
  file: string,
  yaml: YamlDocument,
  sources: readonly Source[],
  processors: readonly { readonly out: string }[],
): ConfigProblem[] {
  return processors.flatMap(({ out }, index) => {
    const filled = sources.find(({ destination }) => overlap(destination, out));
    if (filled === undefined) return [];
    return [
      {
        code: 'wrong-value',
        file,
        path: `processors[${index}].out`,
        ...yaml.placeOf(['processors', index, 'out']),
        message: `processors[${index}] fills ${out}, which overlaps with ${filled.destination} of the source ${filled.id}`,
        hint: 'Give it a directory of its own.',
      },
    ];
  });
}
