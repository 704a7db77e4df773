type Fields = Readonly<Record<string, unknown>>;

/**
 * The items of a list as kubectl reads them (apimachinery unstructured/unstructured_list.go and helpers.go): whatever
 * has `items` that are a list is one, whatever its kind, and items that say no kind have the list's without `List`.
 * Undefined for what is no list. What is no map stands as an empty one, so that positions hold.
 */
export function listItems(value: Fields): readonly Fields[] | undefined {
  const { apiVersion, kind, items } = value;
  if (!Array.isArray(items)) return undefined;
  const named = typeof kind === 'string' ? kind.replace(/List$/, '') : '';
  const implied = named === '' ? {} : { apiVersion, kind: named };
  return items.map((item: unknown): Fields => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return {};
    const own = item as Fields;
    return own['kind'] === undefined && own['apiVersion'] === undefined ? { ...implied, ...own } : own;
  });
}

/** Whether it is a list and nothing else: then only its items count. */
export function isOnlyList({ kind }: Fields): boolean {
  return typeof kind === 'string' && kind.endsWith('List');
}
