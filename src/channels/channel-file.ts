/** The text of a channel file after an import: what is there stays, byte for byte, but for what is added. */
import { editYaml, type YamlEdit, type YamlValue } from '../package/yaml/edit.ts';
import type { ImportedChannel, ImportedDeprecation, ImportedPackage } from './import-catalog.ts';
import type { PackageChannels } from './package-channels.ts';

interface ChannelFileChange {
  /** The file as it is, and what it says; undefined where there is none. */
  readonly before: { readonly text: string; readonly channels: PackageChannels } | undefined;
  /** What the catalog says takes the place of what is there. */
  readonly replaced: boolean;
}

export function channelFileText(imported: ImportedPackage, { before, replaced }: ChannelFileChange): string {
  if (before === undefined) return newFile(imported);
  const edits: YamlEdit[] = [];
  const set = (path: (string | number)[], value: YamlValue): void =>
    void edits.push({ op: 'set', document: 0, path, value });
  const insert = (path: (string | number)[], value: YamlValue): void =>
    void edits.push({ op: 'insert', document: 0, path, value });
  const { channels } = before;
  if (replaced && channels.defaultChannel !== imported.defaultChannel)
    set(['defaultChannel'], imported.defaultChannel);
  for (const channel of imported.channels) {
    const at = channels.channels.findIndex(({ name }) => name === channel.name);
    const there = channels.channels[at];
    if (there === undefined) {
      insert(['channels'], channelValue(channel));
      continue;
    }
    const known = new Set(there.members.map(({ revision }) => revision));
    const added = channel.members.filter(({ revision }) => !known.has(revision));
    if (replaced && there.mode !== 'graph') set(['channels', at, 'mode'], 'graph');
    if (replaced)
      set(
        ['channels', at, 'members'],
        channel.members.map(({ value }) => value),
      );
    else for (const { value } of added) insert(['channels', at, 'members'], value);
    const moves = there.head !== undefined && channel.head !== undefined && there.head !== channel.head;
    if (moves && (replaced || added.length > 0)) set(['channels', at, 'head'], `v${channel.head}`);
  }
  for (const deprecation of imported.deprecations) {
    const at = placeOf(channels, deprecation);
    if (at === -1) insert(['deprecations'], { ...deprecation });
    else if (replaced) set(['deprecations', at, 'message'], deprecation.message);
  }
  return editYaml(before.text, edits);
}

function newFile(imported: ImportedPackage): string {
  const head = 'apiVersion: config.portico.dev/v1alpha1\nkind: PackageChannels\n';
  const { path, defaultChannel, channels, deprecations } = imported;
  const fields: [string, YamlValue][] = [
    ['package', path],
    ['defaultChannel', defaultChannel],
    ['channels', channels.map(channelValue)],
    ...(deprecations.length > 0
      ? [['deprecations', deprecations.map((one): YamlValue => ({ ...one }))] as [string, YamlValue]]
      : []),
  ];
  return editYaml(
    head,
    fields.map(([name, value]) => ({ op: 'set', document: 0, path: [name], value })),
  );
}

function channelValue({ name, head, members }: ImportedChannel): YamlValue {
  return {
    name,
    mode: 'graph',
    ...(head !== undefined && { head: `v${head}` }),
    members: members.map(({ value }) => value),
  };
}

function placeOf({ deprecations }: PackageChannels, { reference }: ImportedDeprecation): number {
  return deprecations.findIndex(({ schema, name }) => schema === reference.schema && name === reference.name);
}
