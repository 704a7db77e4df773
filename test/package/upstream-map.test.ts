import { expect, test } from 'vitest';

import { mappedAddress, mappedAddressProblem } from '../../src/package/upstream-map.ts';

const MAP = [
  { from: 'https://gitea.example.com/acme/base', to: 'https://github.com/acme/foundation' },
  { from: 'https://gitea.example.com/acme/*', to: 'https://github.com/acme/*' },
];

test.each([
  ['https://gitea.example.com/acme/base.git', 'https://github.com/acme/foundation'],
  ['https://gitea.example.com/acme/web.git', 'https://github.com/acme/web'],
  ['git@gitea.example.com:acme/Web.git', 'https://github.com/acme/Web'],
  ['ssh://git@gitea.example.com/acme/web', 'https://github.com/acme/web'],
  ['https://gitea.example.com/acmes/web', 'https://gitea.example.com/acmes/web'],
  ['https://elsewhere.example.com/acme/web', 'https://elsewhere.example.com/acme/web'],
])('%s is %s now', (repo, wanted) => {
  expect(mappedAddress(MAP, repo)).toBe(wanted);
});

test.each([
  ['https://a.example.com/x/*', 'https://b.example.com/y/*', undefined],
  ['git@a.example.com:x/*', 'https://b.example.com/y/*', undefined],
  ['https://a.example.com/x/*', 'https://b.example.com/y', 'must both end'],
  ['https://a.example.com/x', 'file:///etc/passwd', 'to must be an address'],
  ['https://a.example.com/x', 'https://me:secret@b.example.com/y', 'to must be an address'],
  ['a', 'https://b.example.com/y', 'from must be an address'],
])('from %s to %s', (from, to, problem) => {
  const found = mappedAddressProblem({ from, to });
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(problem);
});
