import { upTo } from '../../text/ends.ts';
import { textAt } from '../yaml/node.ts';
import type { ItemKey } from './match-items.ts';

/**
 * How the functions of two pipelines belong together: by name, else by image without registry, tag and digest, so
 * that a version bump or a move to another registry keeps a function's configuration; else by the program, whatever
 * its arguments.
 */
export const pipelinePasses: readonly ItemKey[] = [
  (item) => {
    const name = textAt(item, 'name');
    return name === '' ? undefined : { name };
  },
  (item) => {
    const image = textAt(item, 'image');
    return image === '' ? undefined : { image: imageName(image) };
  },
  (item) => {
    const exec = textAt(item, 'exec');
    return exec === '' ? undefined : { exec: exec.trim().split(/\s/, 1)[0] ?? exec };
  },
];

/** `ghcr.io/x/set-labels:v0.2` → `set-labels`. */
function imageName(image: string): string {
  const last = image.slice(image.lastIndexOf('/') + 1);
  return upTo(last, ':@');
}
