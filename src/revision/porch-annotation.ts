/**
 * What a Porch server writes into its commits: lines `kpt:{json}` that say which package revision a commit belongs to
 * and what made it (Porch, pkg/externalrepo/git/annotation.go). What cannot be read is passed over, as Porch does.
 */

export interface PorchAnnotation {
  readonly package: string;
  readonly workspace?: string;
  /** As `v3`, or a bare number. */
  readonly revision?: string;
  /** Type of the task that made the commit: init, clone, edit, upgrade, render, … */
  readonly task?: string;
}

/** Characters of a line that is parsed. */
const MAX_LINE_LENGTH = 100_000;

/** All annotations of a commit message, in their order. Never throws. */
export function porchAnnotations(message: string): PorchAnnotation[] {
  return message.split('\n').flatMap((line): PorchAnnotation[] => {
    if (!line.startsWith('kpt:{') || line.length > MAX_LINE_LENGTH) return [];
    const value = parsed(line.slice('kpt:'.length));
    const path = textOf(value?.['package']);
    if (path === undefined) return [];
    const workspace = textOf(value?.['workspaceName']);
    const revision = textOf(value?.['revision']);
    const task = value?.['task'];
    const type = typeof task === 'object' && task !== null ? textOf(Reflect.get(task, 'type')) : undefined;
    return [
      {
        package: path,
        ...(workspace !== undefined && { workspace }),
        ...(revision !== undefined && { revision }),
        ...(type !== undefined && { task: type }),
      },
    ];
  });
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value.slice(0, 200) : undefined;
}
