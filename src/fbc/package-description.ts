import type { BundleBlob, ChannelBlob, PackageBlob } from './catalog.ts';
import { headsOf } from './channel-graph.ts';
import { isMap } from './go-fields.ts';
import { csvSpec } from './list-catalog.ts';

/** The package with the description and icon that the head of its default channel has, where it has them. */
export function describePackage(
  blob: PackageBlob,
  channels: readonly ChannelBlob[],
  bundles: readonly BundleBlob[],
): PackageBlob {
  const [head] = headsOf(channels.find(({ name }) => name === blob.defaultChannel)?.entries ?? []);
  const bundle = bundles.find(({ name }) => name === head);
  if (bundle === undefined) return blob;
  const { description, icon } = csvSpec({ blob: bundle });
  const [first] = Array.isArray(icon) ? icon : [];
  return {
    ...blob,
    ...(typeof description === 'string' && { description }),
    ...(isMap(first) &&
      typeof first['base64data'] === 'string' &&
      typeof first['mediatype'] === 'string' && {
        icon: { base64data: first['base64data'], mediatype: first['mediatype'] },
      }),
  };
}
