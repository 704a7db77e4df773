/** Whether a bundle is in order, whatever its format. */
import type { PackageFiles } from '../package/package.ts';
import type { BundleFormat } from './bundle-format.ts';
import { readHelmChart } from './helm-chart.ts';
import type { Problem } from './manifest.ts';
import { plainProblems, readPlainBundle } from './plain-bundle.ts';
import { readManifests, filesBelow } from './read-manifests.ts';
import { readRegistryBundle } from './registry-bundle.ts';
import { judgeContent } from './validate-content.ts';
import { judgeMetadata, type Judgement } from './validate-metadata.ts';
import { registryProblems } from './validate-registry.ts';

export interface ValidateOptions {
  readonly format: BundleFormat;
  /** APIs that the cluster has, as `group/Kind`. */
  readonly knownApis: ReadonlySet<string>;
}

/** Everything that is wrong with a bundle. A directory of manifests alone is judged by their content. */
export function judgeBundle(files: PackageFiles, { format, knownApis }: ValidateOptions): Judgement {
  switch (format) {
    case 'plain': {
      const read = readPlainBundle(files);
      return {
        errors: 'problems' in read ? read.problems : plainProblems(read.value, knownApis),
        warnings: [],
      };
    }
    case 'helm': {
      const read = readHelmChart(files);
      if ('problems' in read) return { errors: read.problems, warnings: [] };
      const reasons = read.value.needsHelm.map((reason) => ({ message: `the chart needs Helm: ${reason}` }));
      return { errors: [], warnings: reasons };
    }
    case 'registry-v1':
      return judgeRegistry(files);
  }
}

function judgeRegistry(files: PackageFiles): Judgement {
  const paths = [...files.keys()];
  const has = (directory: string): boolean => paths.some((path) => path.startsWith(`${directory}/`));
  const loose = new Map([...files].filter(([path]) => /^[^/]+\.(?:ya?ml|json)$/.test(path)));
  if (!has('manifests') && !has('metadata') && loose.size > 0) {
    const { manifests, problems } = readManifests(loose);
    const judged = judgeContent(manifests);
    return { ...judged, errors: [...problems, ...judged.errors] };
  }
  const missing = ['manifests', 'metadata'].filter((directory) => !has(directory));
  if (missing.length > 0) {
    return {
      errors: missing.map((each) => ({ message: `Unable to locate ${each} directory` })),
      warnings: [],
    };
  }
  const metadata = judgeMetadata(files);
  const read = readRegistryBundle(files);
  if ('problems' in read) {
    return { ...metadata, errors: unique([...metadata.errors, ...read.problems]) };
  }
  const problems = registryProblems(read.value);
  const content = judgeContent(readManifests(filesBelow(files, 'manifests')).manifests);
  // What operator-controller says of the same mistake is told instead of what opm says of it.
  const others = content.errors.filter(({ message }) => !TOLD_OTHERWISE.test(message));
  return {
    errors: unique([...metadata.errors, ...problems, ...others]),
    warnings: [...metadata.warnings, ...content.warnings],
  };
}

const TOLD_OTHERWISE =
  /^(?:owned CRD .* not found in bundle|duplicate CRD |.* is not supported type for registryV1 bundle)/;

function unique(problems: readonly Problem[]): readonly Problem[] {
  return [...new Map(problems.map((problem) => [problem.message, problem])).values()];
}
