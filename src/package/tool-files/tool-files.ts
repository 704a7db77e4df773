/**
 * Files from which a tool of a cluster builds what it applies, or by which it changes that. Guardrails judge the resources as
 * they are in the package, so such a file is refused unless it changes nothing.
 */
import type { PackageFiles } from '../package.ts';
import { packageDirs } from '../render/package-sources.ts';
import { DEPLOY_TOOLS, isApplied, TOOL_NAMES, type DeployTool } from './deploy-tools.ts';
import { judgeAttributes, newRewritingLines } from './git-attributes.ts';
import { judgeKustomization, type Refused } from './kustomization.ts';

interface ToolFile {
  /** Of the last part of the path. */
  readonly name: RegExp;
  readonly tools: readonly DeployTool[];
  /** What the file makes these tools do. */
  readonly effect: string;
  readonly remedy: string;
  /** The tool looks for it only in the directory that it applies. */
  readonly atTop?: true;
  /** Undefined if this file changes nothing. Absent: any such file does. */
  readonly judge?: (path: string, files: PackageFiles) => Refused | undefined;
  /** Other files from which the tool builds. */
  readonly inputs?: (path: string, files: PackageFiles) => readonly string[];
}

const GIT_ATTRIBUTES: ToolFile = {
  name: /^\.gitattributes$/,
  tools: ['argocd', 'kubectl', 'config-sync'],
  effect: 'read other bytes from a checkout than guardrails judge',
  remedy: 'Remove the attribute, or limit it to extensions that no tool reads, such as *.png.',
  judge: (path, files) => judgeAttributes(files.get(path)?.bytes ?? new Uint8Array()),
};

const TABLE: readonly ToolFile[] = [
  {
    name: /^(?:kustomization\.ya?ml|Kustomization)$/,
    tools: ['flux', 'argocd', 'kubectl', 'config-sync'],
    effect: 'build other resources than guardrails judge',
    remedy:
      'Write the result into the resources, or rename the file to kustomization.yaml.in and let the processor kustomize build it.',
    judge: judgeKustomization,
  },
  {
    name: /^\.argocd-source(?:-.+)?\.yaml$/,
    tools: ['argocd'],
    effect: 'build the resources otherwise than guardrails judge them',
    remedy: 'Set these values in the resources, or in the Application.',
  },
  {
    name: /\.jsonnet$/,
    tools: ['argocd'],
    effect: 'apply what the file evaluates to',
    remedy: 'Evaluate it, commit the resources, and rename it to .libsonnet.',
    inputs: importedFiles,
  },
  {
    name: /Chart\.yaml$/,
    tools: ['argocd'],
    atTop: true,
    effect: 'render the directory as a chart instead of applying its resources',
    remedy: 'Move the chart to a subdirectory, and let the processor helm render it.',
    inputs: (path, files) => {
      const top = path.slice(0, path.lastIndexOf('/') + 1);
      const inChart = /^(?:templates\/|charts\/|crds\/|[^/]*values[^/]*$|requirements\.(?:yaml|lock)$)/;
      // Templates may read any file, but manifests beside them are judged themselves.
      const isInput = (inside: string): boolean =>
        inChart.test(inside) || !(isApplied(inside) || BESIDE.test(inside));
      return [...files.keys()].filter((one) => one.startsWith(top) && isInput(one.slice(top.length)));
    },
  },
  GIT_ATTRIBUTES,
];

/** What a directory holds beside a chart. */
const BESIDE = /^(?:Kptfile|\.krmignore|README[^/]*|LICENSE[^/]*|CHANGELOG[^/]*)$|\/Kptfile$/;

/** Characters times names: past these, all files of the package count as imported. */
const MAX_STEPS = 500_000_000;

/** What jsonnet may import: any file whose name is in the text of what it imports, under whatever extension. */
function importedFiles(_path: string, files: PackageFiles): readonly string[] {
  const inputs = new Set([...files.keys()].filter((path) => /\.(?:jsonnet|libsonnet|json)$/.test(path)));
  const others = new Set([...files.keys()].filter((path) => !inputs.has(path)));
  let steps = 0;
  for (const path of inputs) {
    const text = new TextDecoder().decode(files.get(path)?.bytes);
    steps += text.length * others.size;
    // An escape may stand for any character of a name.
    const isHidden = /\\u/.test(text) || steps > MAX_STEPS;
    for (const other of others) {
      if (!isHidden && !text.includes(other.slice(other.lastIndexOf('/') + 1))) continue;
      inputs.add(other);
      others.delete(other);
    }
  }
  return [...inputs];
}

/** Most files are told from these at one look. */
const ANY_NAME = new RegExp(TABLE.map(({ name }) => name.source).join('|'));

/** One file by which a tool applies something else than guardrails judge. */
export interface ToolFinding {
  readonly path: string;
  readonly message: string;
  readonly field?: string;
  /** All files that decide what the tool makes, the file itself among them. */
  readonly inputs: readonly string[];
}

/** True if some tool may build from a file of this name. */
export function isToolFile(path: string): boolean {
  return entryOf(path, DEPLOY_TOOLS) !== undefined;
}

/** The files by which one of the tools applies something else than the package holds, in the order of their paths. */
export function toolFindings(
  files: PackageFiles,
  tools: readonly DeployTool[] = DEPLOY_TOOLS,
): ToolFinding[] {
  const paths = [...files.keys()].filter((path) => entryOf(path, tools) !== undefined).sort();
  if (paths.length === 0) return [];
  const tops = new Set(packageDirs(files));
  return paths.flatMap((path): ToolFinding[] => {
    const entry = entryOf(path, tools);
    if (entry === undefined || (entry.atTop === true && !tops.has(directoryOf(path)))) return [];
    const refused = entry.judge ? entry.judge(path, files) : ANY;
    if (refused === undefined) return [];
    return [
      {
        path,
        message: messageOf(path, entry, refused, tools),
        ...(refused.field !== undefined && { field: refused.field }),
        inputs: [path, ...refused.inputs, ...(entry.inputs?.(path, files) ?? [])],
      },
    ];
  });
}

/** One line of a file outside of packages by which a tool reads other content in them. */
export interface OutsideFinding {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** Lines that a change adds to a `.gitattributes` outside of packages: it holds for all directories below. */
export function attributeFindings(
  path: string,
  before: Uint8Array | null,
  after: Uint8Array,
  tools: readonly DeployTool[] = DEPLOY_TOOLS,
): OutsideFinding[] {
  if (!GIT_ATTRIBUTES.tools.some((tool) => tools.includes(tool))) return [];
  return newRewritingLines(before, after).map((refused) => ({
    path,
    line: refused.line ?? 1,
    message: messageOf(path, GIT_ATTRIBUTES, refused, tools),
  }));
}

const ANY: Refused = { what: '', inputs: [] };

function entryOf(path: string, tools: readonly DeployTool[]): ToolFile | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (!ANY_NAME.test(name)) return undefined;
  return TABLE.find((entry) => entry.name.test(name) && entry.tools.some((tool) => tools.includes(tool)));
}

function messageOf(
  path: string,
  entry: ToolFile,
  { what, line }: Refused,
  tools: readonly DeployTool[],
): string {
  const named = entry.tools.filter((tool) => tools.includes(tool)).map((tool) => TOOL_NAMES[tool]);
  const place = line === undefined ? path : `${path}:${line}`;
  const why = what === '' ? `${path} makes` : `${place} ${what}: it makes`;
  return `${why} ${listed(named)} ${entry.effect}. ${entry.remedy}`;
}

function listed(names: readonly string[]): string {
  const rest = names.slice(0, -1);
  return rest.length === 0 ? names.join('') : `${rest.join(', ')} and ${names.at(-1) ?? ''}`;
}

function directoryOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end === -1 ? '.' : path.slice(0, end);
}
