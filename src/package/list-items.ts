type Fields = Readonly<Record<string, unknown>>;

/**
 * The items of a list as kubectl reads them (decodeToList of apimachinery's unstructured/helpers.go): whatever has `items`
 * that are a list is one, whatever its kind. Items whose kind and apiVersion are both empty, or no strings, have the
 * list's, without `List`. Undefined for a value that is not a list. An item that is not a map stands as an empty one, so
 * that positions hold.
 */
export function listItems(value: Fields): readonly Fields[] | undefined {
  const { apiVersion, kind, items } = value;
  if (!Array.isArray(items)) return undefined;
  const named = typeof kind === 'string' ? kind.replace(/List$/, '') : '';
  return items.map((item: unknown): Fields => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return {};
    const own = item as Fields;
    const isImplied = named !== '' && !isNamed(own['kind']) && !isNamed(own['apiVersion']);
    return isImplied ? { ...own, apiVersion, kind: named } : own;
  });
}

function isNamed(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** Whether it is a list and nothing else: then only its items count. */
export function isOnlyList({ kind }: Fields): boolean {
  return typeof kind === 'string' && kind.endsWith('List');
}
