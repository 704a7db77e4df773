/** Pure: what an update pull request says of the way that its channel leads, and of what is deprecated on it. */
import type { DeprecationDocument } from '../../channels/package-channels.ts';
import { digestOf, shortDigest } from '../../revision/digest.ts';
import { joined } from '../../text/joined.ts';
import type { UpdateWay } from '../downstream/channel-target.ts';
import { code, foreignSentence, tableUpTo } from '../text/markdown-blocks.ts';

/** A package and where it goes. */
export interface PackageUpgrade {
  readonly path: string;
  readonly to: string;
  readonly way?: UpdateWay;
}

/** Deprecations that one pull request lists. */
const MAX_DEPRECATIONS = 20;

/** The ways of all packages, as Markdown; '' where there is nothing to say. */
export function upgradePathsText(parts: readonly PackageUpgrade[], group: string | undefined): string {
  const ways = parts.flatMap(({ path, way }) => {
    if (way?.text === undefined) return [];
    const name = group === undefined ? '' : `${code(path)}: `;
    return [`${name}Channel ${code(way.channel ?? '')}, **${foreignSentence(way.text)}**`];
  });
  return joined([ways.join('\n\n'), deprecationsText(parts)]);
}

function deprecationsText(parts: readonly PackageUpgrade[]): string {
  const all = new Map(
    parts.flatMap(({ to, way }) =>
      (way?.deprecations ?? []).map((one) => [JSON.stringify(one), { one, to }] as const),
    ),
  );
  const rows = [...all.values()].map(({ one }) => [
    code(one.name ?? `the ${one.schema}`),
    one.severity,
    foreignSentence(one.message),
    one.supersededBy === undefined ? '' : code(`v${one.supersededBy}`),
  ]);
  if (rows.length === 0) return '';
  const heads = ['deprecated', 'severity', 'why', 'superseded by'];
  const target = parts.some(({ to, way }) => way?.deprecations.some((one) => isOf(one, to)));
  const still = target ? '\n\nNothing that is not deprecated can follow directly.' : '';
  return `${tableUpTo(MAX_DEPRECATIONS, heads, rows)}${still}`;
}

function isOf({ schema, name }: DeprecationDocument, revision: string): boolean {
  return schema === 'revision' && name === revision;
}

/** True for a way that leads down. */
export function isDowngrade({ text = '' }: UpdateWay): boolean {
  return text.startsWith('back ');
}

/** Stands in the body of a pull request, so that another way to the same revision is told anew; '' for none. */
export function upgradePathMarker(parts: readonly PackageUpgrade[]): string {
  const paths = parts.flatMap(({ way }) => (way === undefined ? [] : [[way.text ?? '', way.deprecations]]));
  return paths.length === 0 ? '' : `<!-- portico:way ${shortDigest(digestOf('portico way 1', paths))} -->`;
}

const MARKER = /<!-- portico:way [0-9a-f]+ -->/;

/** True where the body tells another way than this one. */
export function showsAnotherPath(body: string, parts: readonly PackageUpgrade[]): boolean {
  return (body.match(MARKER)?.[0] ?? '') !== upgradePathMarker(parts);
}
