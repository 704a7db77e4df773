/** Pure: what stands in files that anybody may have written, read as documents and configuration. */
import type { PackageFiles } from '../package/package.ts';
import { definitionsIn } from '../package/render/definitions.ts';
import type { KrmObject } from '../package/render/krm-object.ts';
import {
  readVariantDocuments,
  type DocumentProblem,
  type ReadDocument,
} from '../package/variant/read-document.ts';
import { withAdmission } from './admission-policy.ts';
import type { ConfigProblem } from './config-problem.ts';
import { withExemptions } from './exemption-document.ts';
import { foreignPolicies } from './foreign-policy.ts';
import { parseRepositoryConfig, type ConfigResult } from './parse-repository-config.ts';
import { readRollouts, type ReadRollout } from './read-rollouts.ts';
import type { ConfigSource } from './repository-document.ts';
import { targetProblems } from './target-document.ts';

/** What one file below `.github/portico/` or in an inventory holds. */
export interface FileDocuments {
  readonly file: string;
  readonly documents: readonly ReadDocument[];
  readonly problems: readonly DocumentProblem[];
  readonly rollouts: readonly ReadRollout[];
  /** What is told of documents that somebody else reads; nothing depends on it. */
  readonly notes?: readonly DocumentProblem[];
}

/** Reads the documents of each file. Never throws for what is in them. */
export function readFileDocuments(files: PackageFiles): { readonly read: readonly FileDocuments[] } {
  return {
    read: [...files].map(([file, { bytes }]) => {
      const { documents, problems } = readVariantDocuments(new TextDecoder().decode(bytes));
      const { rollouts, problems: wrong } = readRollouts({ file, bytes });
      const others = [...wrong, ...targetProblems({ file, bytes })].map(asDocumentProblem);
      const notes = foreignPolicies({ file, bytes }).map(asDocumentProblem);
      return {
        file,
        documents,
        problems: [...problems, ...others],
        rollouts,
        ...(notes.length > 0 && { notes }),
      };
    }),
  };
}

function asDocumentProblem({ path, line, column, message, hint }: ConfigProblem): DocumentProblem {
  return { path, line, column, message: `${message}. ${hint}` };
}

/** The CustomResourceDefinitions in all files, in their order. */
export function readDefinitions(files: PackageFiles): { readonly definitions: readonly KrmObject[] } {
  return { definitions: [...files].flatMap(([file, { bytes }]) => definitionsIn(file, bytes)) };
}

export interface ConfigurationSources {
  readonly file: string;
  readonly defaultBranch: string;
  /** The organisation's defaults. */
  readonly organization?: ConfigSource;
  /** The configuration itself under its name, and the documents beside it. */
  readonly sources: PackageFiles;
}

/** A repository's configuration with the documents beside it, or the mistakes in them. */
export function readConfigurationFiles({
  file,
  defaultBranch,
  organization,
  sources,
}: ConfigurationSources): ConfigResult {
  const bytes = sources.get(file)?.bytes ?? new Uint8Array();
  const own = parseRepositoryConfig(
    { file, bytes },
    { defaultBranch, ...(organization && { organization }) },
  );
  const beside = [...sources].filter(([path]) => path !== file);
  return withDocuments(
    own,
    beside.map(([path, one]) => ({ file: path, bytes: one.bytes })),
  );
}

/** A configuration with the policies and exemptions that documents beside it are; their mistakes are mistakes of it. */
export function withDocuments(own: ConfigResult, sources: readonly ConfigSource[]): ConfigResult {
  return withExemptions(withAdmission(own, sources), sources);
}
