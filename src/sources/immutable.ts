import valid from 'semver/functions/valid.js';

import { parseRevisionName } from '../revision/revision-name.ts';
import type { SourcePlace } from './source.ts';

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** True for a place that leads nowhere else tomorrow: nobody has to ask again. */
export function isImmutable(place: SourcePlace): boolean {
  switch (place.kind) {
    case 'git':
      return place.ref !== undefined && COMMIT.test(place.ref);
    case 'oci':
      return place.digest !== undefined;
    case 'http':
      return place.sha256 !== undefined;
    // A repository that gives a version other content is not followed.
    case 'helm':
      return valid(place.version) !== null;
    case 'package':
      return parseRevisionName(place.revision) !== undefined;
  }
}
