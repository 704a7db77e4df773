/** `index.yaml` of a Helm repository: the versions of one chart, without reading what it says of thousands of others. */
import { parse } from 'yaml';
import { z } from 'zod';

import { PorticoError } from '../error.ts';
import { valueAt } from '../package/plain-values.ts';
import { chooseVersion } from '../sources/choose-version.ts';

/** Bytes of a whole index, and of what it says of one chart. */
export const MAX_INDEX_BYTES = 48 * 1024 * 1024;
const MAX_CHART_BYTES = 4 * 1024 * 1024;

export interface ChartVersion {
  readonly version: string;
  readonly urls: readonly string[];
  /** `sha256:…` of the archive, where the repository says it. */
  readonly digest?: string;
}

const chartVersion = z.object({
  version: z.string(),
  urls: z.array(z.string()).min(1),
  digest: z.string().optional(),
});

export interface WantedChart {
  readonly chart: string;
  /** A version or a range. */
  readonly range: string;
  /** Address of the repository, for people. */
  readonly repository: string;
}

/** The version that is meant; without one, the first of those that there are. */
export type ChartChoice = { readonly chosen: ChartVersion } | { readonly known: readonly string[] };

/** Of an index, the version of a chart that a range takes. Throws `SOURCE_INDEX`. */
export function chooseChart(index: Uint8Array, { chart, range, repository }: WantedChart): ChartChoice {
  const versions = chartVersions(Buffer.from(index).toString('utf8'), chart, repository);
  const named = versions.map(({ version }) => version);
  const newest = chooseVersion(named, range);
  const chosen = versions.find(({ version }) => version === newest);
  return chosen === undefined ? { known: named.slice(0, 10) } : { chosen };
}

/** The versions of a chart; none where the repository does not have it. Throws `SOURCE_INDEX`. */
function chartVersions(index: string, chart: string, what: string): readonly ChartVersion[] {
  const listed = entriesOf(index, chart, what);
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((one: unknown) => {
    const read = chartVersion.safeParse(one);
    if (!read.success) return [];
    const { version, urls, digest } = read.data;
    const [, hex] = /^(?:sha256:)?([0-9a-f]{64})$/i.exec(digest ?? '') ?? [];
    return [{ version, urls, ...(hex !== undefined && { digest: `sha256:${hex.toLowerCase()}` }) }];
  });
}

function entriesOf(index: string, chart: string, what: string): unknown {
  const json = index.trimStart().startsWith('{');
  const text = json ? index : (block(index, chart) ?? index);
  if (!json && text.length > MAX_CHART_BYTES) {
    throw unusable(what, `has more than ${MAX_CHART_BYTES} bytes about ${chart}`);
  }
  let data: unknown;
  try {
    data = json ? JSON.parse(text) : parse(text, { maxAliasCount: 0, uniqueKeys: false, logLevel: 'silent' });
  } catch {
    throw unusable(what, 'is neither YAML nor JSON');
  }
  return valueAt(text === index ? valueAt(data, 'entries') : data, chart);
}

/**
 * The lines about one chart, where the index is laid out as Helm writes it: `entries:` at the margin, charts two spaces in,
 * their versions as a list. Undefined for any other layout.
 */
function block(index: string, chart: string): string | undefined {
  const entries = index.startsWith('entries:') ? 0 : index.indexOf('\nentries:');
  if (entries === -1) return undefined;
  const start = ['', '"', "'"]
    .map((quote) => index.indexOf(`\n  ${quote}${chart}${quote}:`, entries))
    .find((at) => at !== -1);
  const first = /\n( *)[^\s#]/.exec(index.slice(entries + 8, entries + 4_096))?.[1];
  if (start === undefined || first !== '  ') return undefined;
  // The next line that is neither deeper nor an item of the list.
  const end = /\n {0,2}[^\s-]/.exec(index.slice(start + 1));
  return index.slice(start + 1, end === null ? undefined : start + 1 + end.index);
}

function unusable(what: string, why: string): PorticoError {
  return new PorticoError('SOURCE_INDEX', `the index of ${what} ${why}`, {
    blame: 'user',
    hint: 'Check that this is the address of a Helm repository, which has index.yaml below it.',
  });
}
