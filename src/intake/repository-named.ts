/** `owner/name` of the repository that a webhook is about, for the log, also where the rest of it cannot be read; undefined where it names none. */
export function repositoryNamed(payload: unknown): string | undefined {
  const { repository } = (payload ?? {}) as { readonly repository?: { readonly full_name?: unknown } | null };
  const name = repository?.full_name;
  return typeof name === 'string' ? name.slice(0, 200) : undefined;
}
