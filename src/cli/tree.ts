import { basename } from 'node:path';

import { packageTree } from '../package/tree.ts';
import type { PackageTree } from '../package/tree.ts';
import { EXIT } from './exit-code.ts';
import { readFolder } from './folder.ts';
import { visible } from './terminal.ts';
import { placeIn, type Call } from './verb.ts';

/** `portico tree [DIR]`: prints the package as `kpt pkg tree` does. */
export async function tree(call: Call): Promise<number> {
  const directory = call.path(call.positionals[0] ?? '.');
  const { terminal } = call;
  const root = packageTree(
    readFolder(directory, { warn: terminal.warn, place: placeIn(call, directory) }),
    basename(directory),
  );
  if (terminal.json) {
    terminal.document(root);
    return EXIT.ok;
  }
  terminal.print(terminal.style('bold', title(root)));
  for (const line of branches(root, '')) terminal.print(line);
  return EXIT.ok;
}

function title(tree: PackageTree): string {
  return tree.isPackage ? `Package ${JSON.stringify(tree.name)}` : tree.name;
}

function branches(tree: PackageTree, indent: string): string[] {
  const entries: { readonly text: string; readonly below?: PackageTree }[] = [
    ...tree.resources.map(({ file, kind, name }) => ({ text: `[${file}]  ${kind} ${name}` })),
    ...tree.problems.map(({ file, reason }) => ({ text: `[${file}]  cannot be read: ${reason}` })),
    ...tree.directories.map((below) => ({ text: title(below), below })),
  ];
  return entries.flatMap(({ text, below }, at) => {
    const last = at === entries.length - 1;
    const line = `${indent}${last ? '└──' : '├──'} ${visible(text)}`;
    return below === undefined ? [line] : [line, ...branches(below, `${indent}${last ? '    ' : '│   '}`)];
  });
}
