import { PorticoError } from '../error.ts';
import type { BundleBlob } from './catalog.ts';

/** Gives the rendered bundle of an image, or throws a {@link TemplateMistake}. */
export type RenderBundle = (image: string) => Promise<BundleBlob>;

/** What a template has wrong. */
export class TemplateMistake extends PorticoError {
  /** The sentence alone, without the file. */
  readonly sentence: string;

  constructor(sentence: string, file: string, cause?: unknown) {
    super('TEMPLATE_INVALID', `${file}: ${sentence}`, {
      blame: 'user',
      cause,
      hint: 'Correct the template. Bundles come from --bundles, in files named as the image, or from registries.',
    });
    this.sentence = sentence;
  }
}
