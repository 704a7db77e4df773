import { expect, test } from 'vitest';

import type { PackageChannels } from '../../../src/channels/package-channels.ts';
import { channelTarget, firstInChannel } from '../../../src/reconcile/downstream/channel-target.ts';
import { refusal } from '../../../src/reconcile/update/source-update.ts';

/** Whoever writes the channel file of an upstream writes this, too. */
const WHY = 'ask @acme/all <img src=x> #1';

const documentOf = (deprecations: PackageChannels['deprecations']): PackageChannels => ({
  package: 'web',
  packageLine: 1,
  defaultLine: 1,
  channels: [
    {
      name: 'stable',
      mode: 'sequence',
      line: 1,
      headLine: 1,
      members: [
        { revision: 1, line: 1 },
        { revision: 2, withdrawn: { reason: WHY }, line: 1 },
      ],
    },
  ],
  deprecations,
});

test('what an upstream or a publisher says does nothing where an update is held because of it (74)', () => {
  const asked = { path: 'web', channel: 'stable', available: ['v1', 'v2'], tagged: undefined };
  const at = { kind: 'revision', revision: 'v2' } as const;
  const answers = [
    channelTarget(documentOf([]), { ...asked, at, policy: { onWithdrawn: 'ignore' } }),
    firstInChannel(documentOf([{ schema: 'package', message: WHY, severity: 'blocking', line: 1 }]), asked),
    // A chart repository names its versions.
    refusal('The source chart', { isPassing: false, message: 'there is none', hint: `Versions: ${WHY}.` }),
  ];
  const said = answers.map((one) => (one.kind === 'withheld' ? one.message : ''));
  for (const text of said) {
    expect(text).toContain('ask @');
    expect(text).not.toMatch(/@acme|<img|#1/);
  }
});
