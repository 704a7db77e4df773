/** The one package of the random schedules, as people write it. */
import { below } from '../e2e/packages.ts';
import { configMap, smallPackage, step } from './small-package.ts';
import type { Files, StageRepository } from './stage-repository.ts';

export const FIELDS = ['color', 'size', 'shape'] as const;
const DATA = { color: 'blue', size: 'small', shape: 'round' };

/** What main holds at first; the pipeline of a rendered one adds what no person writes. */
export const PLAIN = below('web', smallPackage('web', { data: DATA }));
export const RENDERED = below(
  'web',
  smallPackage('web', { data: DATA, mutators: [step('set-labels:v0.2', { tier: 'front' })] }),
);

/** What people mean by the package at a commit, however it is rendered; null where it is not there. */
export async function contentOf(repo: StageRepository, ref: string): Promise<string | null> {
  const text = await repo.read('web/config.yaml', ref);
  return text === null ? null : FIELDS.map((field) => valueOf(text, field)).join(' ');
}

/** Whether the pipeline has run over what stands at a commit. */
export async function isRendered(repo: StageRepository, ref: string): Promise<boolean> {
  const [kptfile, text] = await Promise.all([
    repo.read('web/Kptfile', ref),
    repo.read('web/config.yaml', ref),
  ]);
  return kptfile?.includes('set-labels') !== true || text?.includes('tier: front') === true;
}

/** Files that bring one value, on top of what a commit holds; the whole package where it is gone. */
export async function change(
  repo: StageRepository,
  ref: string,
  key: string,
  value: string,
): Promise<{ readonly files: Files; readonly isWhole: boolean }> {
  const text = await repo.read('web/config.yaml', ref);
  const held = Object.fromEntries(FIELDS.map((field) => [field, valueOf(text ?? '', field)]));
  const present = Object.fromEntries(Object.entries(held).filter(([, is]) => is !== ''));
  const config = { 'web/config.yaml': configMap('web', { ...DATA, ...present, [key]: value }) };
  return { files: text === null ? { ...PLAIN, ...config } : config, isWhole: text === null };
}

function valueOf(text: string, field: string): string {
  return new RegExp(`^ {2}${field}: (\\w+)$`, 'm').exec(text)?.[1] ?? '';
}
