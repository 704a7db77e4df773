import type { Problem } from './model.ts';

interface Branch {
  readonly below: Map<string, Branch>;
  readonly leaves: string[];
}

/** Problems as the tree that operator-registry prints; past `most` they are counted. */
export function verdictText(all: readonly Problem[], most = Infinity): string {
  const problems = all.slice(0, most);
  const more = all.length - problems.length;
  const root: Branch = { below: new Map(), leaves: [] };
  for (const { at, message } of problems) {
    let here = root;
    for (const heading of at) {
      const next = here.below.get(heading) ?? { below: new Map<string, Branch>(), leaves: [] };
      here.below.set(heading, next);
      here = next;
    }
    here.leaves.push(message);
  }
  const lines = [...root.leaves];
  for (const [heading, branch] of root.below) lines.push(`${heading}:`, ...branchLines(branch, ''));
  if (more > 0) lines.push(`and ${more} more`);
  return lines.join('\n');
}

function branchLines({ below, leaves }: Branch, indent: string): string[] {
  const parts = [
    ...leaves.map((leaf) => ({ text: leaf, branch: undefined })),
    ...[...below].map(([heading, branch]) => ({ text: `${heading}:`, branch })),
  ];
  return parts.flatMap(({ text, branch }, at) => {
    const isLast = at === parts.length - 1;
    const line = `${indent}${isLast ? '└──' : '├──'} ${text}`;
    return branch === undefined
      ? [line]
      : [line, ...branchLines(branch, `${indent}${isLast ? '    ' : '│   '}`)];
  });
}
