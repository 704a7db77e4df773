/** Pure: a package, or the document of a variant, says in an annotation which channel of its upstream it follows. */
const FOLLOW_CHANNEL = 'portico.dev/follow-channel';

export function channelNamedBy({
  annotations,
}: {
  readonly annotations: Readonly<Record<string, string>>;
}): string | undefined {
  const channel = annotations[FOLLOW_CHANNEL];
  return channel === '' ? undefined : channel;
}
