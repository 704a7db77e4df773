import { describe, expect, test } from 'vitest';

import { kptfile, render, textsOf } from './support.ts';

const SERVICE = 'apiVersion: v1\nkind: Service\nmetadata:\n  name: a\n';
const LABEL = '  mutators: # ours\n  - image: set-labels:v0.2\n    configMap: { team: x }\n';
const GATE = 'info:\n  readinessGates:\n  - conditionType: Rendered\n';
const DONE = 'status:\n  conditions:\n  - type: Rendered\n    status: "True"\n    reason: RenderSuccess\n';

describe('the condition Rendered', () => {
  test('is not written into packages that do not ask for it', async () => {
    const { changed } = await render({ Kptfile: kptfile('p', LABEL), 'a.yaml': SERVICE });
    expect(changed).toEqual(['Kptfile', 'a.yaml']);
    const { files } = await render({ Kptfile: kptfile('p', LABEL), 'a.yaml': SERVICE });
    expect(textsOf(files)['Kptfile']).not.toContain('Rendered');
  });

  test('is written where a readiness gate waits for it, and the rest stays', async () => {
    const texts = { Kptfile: kptfile('p', LABEL) + GATE, 'a.yaml': SERVICE };
    const { files, ok } = await render(texts);
    expect(ok).toBe(true);
    const text = textsOf(files)['Kptfile'];
    expect(text).toContain('  mutators: # ours\n');
    expect(text?.endsWith(GATE + DONE)).toBe(true);
    const again = await render(textsOf(files));
    expect(again.changed).toEqual([]);
  });

  test('comes with what each function did, where the package has a renderStatus', async () => {
    const before = `${kptfile('p', LABEL)}${DONE.replace('True', 'False')}  renderStatus:\n    mutationSteps:\n    - image: old:v1\n      exitCode: 0\n`;
    const { files } = await render({ Kptfile: before, 'a.yaml': SERVICE });
    expect(textsOf(files)['Kptfile']).toContain(
      `${DONE}  renderStatus:\n    mutationSteps:\n    - image: set-labels:v0.2\n      exitCode: 0\n      results:\n      - message: set 3 labels in total\n        severity: info\n`,
    );
    // The second render has other news, and changes nothing: what the first said stays.
    expect((await render(textsOf(files))).changed).toEqual([]);
  });

  test('tells of a failure where what there is shall be saved', async () => {
    const pipeline = `${LABEL}  - image: unknown:v1\n`;
    const before = kptfile('p', pipeline, { 'kpt.dev/save-on-render-failure': 'true' }) + GATE;
    const { files, ok } = await render({ Kptfile: before, 'a.yaml': SERVICE });
    expect(ok).toBe(false);
    const text = textsOf(files)['Kptfile'];
    expect(text).toContain('  - type: Rendered\n    status: "False"\n    reason: RenderFailed\n');
    expect(text).toContain('unknown:v1 cannot run here');
    const unsaved = await render({ Kptfile: kptfile('p', pipeline) + GATE, 'a.yaml': SERVICE });
    expect(unsaved.changed).toEqual([]);
  });
});
