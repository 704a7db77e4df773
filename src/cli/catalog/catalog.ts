import { REGISTRY_OPTIONS } from '../registry-options.ts';
import { runSubverb, type Subverb } from '../subverbs.ts';

/** Where images come from. */
const IMAGE_OPTIONS = ['layout', ...REGISTRY_OPTIONS.map(({ name }) => name)];

const SUBVERBS: Readonly<Record<string, Subverb>> = {
  validate: {
    positionals: { least: 1, most: 1 },
    options: ['strict'],
    usage: 'portico catalog validate DIR [--strict]',
    load: async () => (await import('./validate.ts')).validate,
  },
  render: {
    positionals: { least: 1, most: 1 },
    options: ['output', ...IMAGE_OPTIONS],
    usage: 'portico catalog render DIR|IMAGE@DIGEST [--layout DIR] [-o yaml|json]',
    load: async () => (await import('./render.ts')).render,
  },
  list: {
    positionals: { least: 2, most: 2 },
    options: ['package'],
    usage: 'portico catalog list packages|channels|bundles DIR [--package NAME]',
    load: async () => (await import('./list.ts')).list,
  },
  graph: {
    positionals: { least: 1, most: 1 },
    options: ['package', 'minimum-edge', 'v0'],
    usage: 'portico catalog graph DIR [--package NAME] [--minimum-edge BUNDLE] [--v0]',
    load: async () => (await import('./graph.ts')).graph,
  },
  diff: {
    positionals: { least: 1, most: 2 },
    options: ['installed', 'changed-since', 'output'],
    usage: 'portico catalog diff OLD NEW | NEW --changed-since REF [--installed BUNDLE]… [-o markdown]',
    load: async () => (await import('./diff.ts')).diff,
  },
  template: {
    positionals: { least: 1, most: 1 },
    options: ['bundles', 'lock', 'output', ...IMAGE_OPTIONS],
    usage: 'portico catalog template FILE [--bundles DIR] [--lock FILE] [-o yaml|json]',
    load: async () => (await import('./template.ts')).template,
  },
  resolve: {
    positionals: { least: 1, most: 1 },
    options: ['package', 'channel', 'version', 'policy', 'installed', 'installed-version'],
    needs: ['package'],
    usage:
      'portico catalog resolve DIR --package NAME [--channel NAME]… [--version RANGE] [--policy POLICY] [--installed BUNDLE]',
    load: async () => (await import('./resolve.ts')).resolve,
  },
  plan: {
    positionals: { least: 0, most: 1 },
    options: ['in', 'follow', 'repository', 'package'],
    usage: 'portico catalog plan [DIR] [--in FOLDER]… [--package PATH]',
    load: async () => (await import('./plan.ts')).plan,
  },
  export: {
    positionals: { least: 0, most: 1 },
    options: ['package', 'branch', 'repository', 'output', 'to'],
    usage: 'portico catalog export [DIR] [--package PATH] [--branch NAME] [-o yaml|json | --to FOLDER]',
    load: async () => (await import('./export.ts')).exportVerb,
  },
  push: {
    positionals: { least: 2, most: 2 },
    options: ['source', 'revision', ...REGISTRY_OPTIONS.map(({ name }) => name)],
    usage: 'portico catalog push DIR HOST/REPOSITORY:TAG [--source URL] [--revision TEXT]',
    load: async () => (await import('./push.ts')).push,
  },
  import: {
    positionals: { least: 1, most: 10_000 },
    options: [
      'repo',
      'repository',
      'into',
      'branch',
      'replace-channels',
      'mode',
      'images',
      'write',
      ...IMAGE_OPTIONS,
    ],
    usage:
      'portico catalog import DIR… [--repo CLONE] [--into PATH] [--branch NAME] [--replace-channels] [--mode MODE] [--images] [--write]',
    load: async () => (await import('./import.ts')).importVerb,
  },
};

/** `portico catalog SUBVERB …`: reads, checks and writes file-based operator catalogs. */
export const catalog = runSubverb('catalog', SUBVERBS);
