import { expect, test } from 'vitest';

import { atVersion } from '../../src/sources/at-version.ts';
import type { SourcePlace } from '../../src/sources/source.ts';

const REPO = 'https://example.com/a.git';

test.each<[place: SourcePlace, version: string, fits: object | undefined]>([
  [
    { kind: 'helm', repository: 'https://c.example', chart: 'a', version: '>=1 <2' },
    '1.2.0',
    { version: '1.2.0' },
  ],
  [{ kind: 'helm', repository: 'https://c.example', chart: 'a', version: '>=1 <2' }, '2.0.0', undefined],
  [{ kind: 'helm', repository: 'https://c.example', chart: 'a', version: '>=1 <2' }, 'x', undefined],
  [{ kind: 'oci', image: 'h/a', semver: '^1' }, 'v1.2.3', { kind: 'oci', image: 'h/a', tag: 'v1.2.3' }],
  [{ kind: 'oci', image: 'h/a', semver: '^1', setter: 's' }, '1.2.3', { tag: '1.2.3', setter: 's' }],
  [{ kind: 'oci', image: 'h/a', tag: 'latest' }, '1.2.3', undefined],
  [{ kind: 'git', repo: REPO, semver: '^1' }, '1.2.3', { kind: 'git', repo: REPO, ref: '1.2.3' }],
  [{ kind: 'git', repo: REPO, ref: 'main' }, '1.2.3', undefined],
  [{ kind: 'package', repo: REPO, path: 'web', revision: 'latest' }, 'v3', { revision: 'v3' }],
  [{ kind: 'package', repo: REPO, path: 'web', revision: '>=2 <4' }, 'v3', { revision: 'v3' }],
  [{ kind: 'package', repo: REPO, path: 'web', revision: '>=2 <4' }, 'v5', undefined],
  [{ kind: 'http', url: 'https://example.com/a.tgz' }, '1.2.3', undefined],
])('%j at %s', (place, version, fits) => {
  const at = atVersion(place, version);
  if (fits === undefined) expect(at).toBeUndefined();
  else expect(at).toMatchObject(fits);
});
