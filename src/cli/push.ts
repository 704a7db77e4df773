import { artifactOf, type Artifact } from '../oci/artifact.ts';
import { pushArtifact, type PushedTag, type TagsToPush } from '../oci/push-artifact.ts';
import { parseReference, referenceText, type Reference } from '../oci/reference.ts';
import { checkChannel, isRevisionTag } from '../oci/tag-kind.ts';
import { deployableFiles } from '../package/deployable.ts';
import { EXIT, usageError } from './exit-code.ts';
import { readFolder } from './folder.ts';
import { processorInputs } from './processor-inputs.ts';
import { openRegistry } from './registry.ts';
import type { Call } from './verb.ts';

/** `portico push DIR REF`: puts a package into a registry, as Flux and Argo CD read it. */
export async function push(call: Call): Promise<number> {
  const { terminal } = call;
  const [directory = '.', typed = ''] = call.positionals;
  const reference = referenceIn(typed);
  const { tag } = reference;
  const channels = call.list('channel').map(checkChannel);
  const tags = isRevisionTag(tag)
    ? { fixed: [tag], moving: channels }
    : { fixed: [], moving: [tag, ...channels] };

  const read = readFolder(call.path(directory), { warn: terminal.warn });
  const files = call.has('rendered') ? deployableFiles(read, processorInputs(call, read)) : read;
  const version = isRevisionTag(tag) ? { version: tag } : {};
  const artifact = await artifactOf(files, {
    ...version,
    ...fact(call, 'source'),
    ...fact(call, 'revision'),
  });
  return sendArtifact(call, { reference, artifact, tags, files: files.size });
}

/** Pushes, and says what became of each tag. Prints the digest. */
export async function sendArtifact(
  call: Call,
  {
    reference,
    artifact,
    tags,
    files,
  }: {
    readonly reference: Reference & { readonly tag: string };
    readonly artifact: Artifact;
    readonly tags: TagsToPush;
    readonly files: number;
  },
): Promise<number> {
  const { terminal, signal } = call;
  const { tag } = reference;
  terminal.progress(`pushing ${referenceText(reference)}`);
  const pushed = await pushArtifact({
    client: openRegistry(call, reference),
    reference,
    artifact,
    tags,
    signal,
  });
  terminal.progress('');

  const name = `${reference.registry}/${reference.repository}`;
  if ('refused' in pushed) {
    const { refused } = pushed;
    terminal.say(
      `${terminal.style('red', 'refused:', 'stderr')} ${name}:${refused.tag} is ${refused.held}, but this package is ${refused.wanted}.`,
    );
    terminal.say('The tag of a revision never moves. Push this package as another revision.');
    if (terminal.json) terminal.document({ reference: `${name}:${tag}`, refused });
    return EXIT.failed;
  }
  const { digest } = pushed;
  if (terminal.json) {
    const layers = artifact.blobs.map(({ descriptor }) => descriptor).slice(1);
    terminal.document({
      reference: `${name}@${digest}`,
      digest,
      layers,
      files,
      tags: pushed.tags,
    });
    return EXIT.ok;
  }
  for (const one of pushed.tags) terminal.say(`${name}:${one.tag} ${wordsFor(one)}`);
  terminal.print(digest);
  return EXIT.ok;
}

export function referenceIn(typed: string): Reference & { readonly tag: string } {
  const reference = parseReference(typed);
  const { tag } = reference;
  if (tag !== undefined && reference.digest === undefined) return { ...reference, tag };
  throw usageError(
    `${typed} has ${tag === undefined ? 'no tag' : 'a digest, which is known only after the push'}`,
    'Write HOST/REPOSITORY:TAG, such as ghcr.io/acme/web:v3.',
  );
}

export function fact(call: Call, name: 'source' | 'revision'): Readonly<Record<string, string>> {
  const value = call.text(name);
  return value === undefined ? {} : { [name]: value };
}

function wordsFor({ outcome, from }: PushedTag): string {
  if (outcome === 'unchanged') return 'already exists';
  return outcome === 'created' ? 'is new' : `moved from ${from}`;
}
