/** Pure: a place as it leads to one version that somebody asks for. */
import { newestInRange } from '../config/follow.ts';
import { chooseVersion } from './choose-version.ts';
import type { SourcePlace } from './source.ts';

/** Undefined where the document does not let the place lead there: it is not in its range, or there is no range. */
export function atVersion(place: SourcePlace, version: string): SourcePlace | undefined {
  switch (place.kind) {
    case 'helm':
      return chooseVersion([version], place.version) === version ? { ...place, version } : undefined;
    case 'oci': {
      const { semver, ...rest } = place;
      const fits = semver !== undefined && chooseVersion([version], semver) === version;
      return fits ? { ...rest, tag: version } : undefined;
    }
    case 'git': {
      const { semver, repo } = place;
      const fits = semver !== undefined && chooseVersion([version], semver) === version;
      return fits ? { kind: 'git', repo, ref: version } : undefined;
    }
    case 'package': {
      const fits = place.revision === 'latest' || newestInRange(place.revision, [version]) === version;
      return fits ? { ...place, revision: version } : undefined;
    }
    case 'http':
      return undefined;
  }
}
