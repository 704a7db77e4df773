import { runSubverb, type Subverb } from '../subverbs.ts';

/** What says into which objects a bundle is converted. */
const CONVERSION = ['install-namespace', 'target-namespaces', 'certificate-provider', 'deployment-config'];

const SUBVERBS: Readonly<Record<string, Subverb>> = {
  validate: {
    positionals: { least: 1, most: 1 },
    options: [],
    usage: 'portico bundle validate DIR',
    load: async () => (await import('./validate.ts')).validate,
  },
  convert: {
    positionals: { least: 1, most: 1 },
    options: [...CONVERSION, 'values', 'release', 'output'],
    usage: 'portico bundle convert DIR --output DIR',
    load: async () => (await import('./convert.ts')).convert,
  },
  rbac: {
    positionals: { least: 1, most: 1 },
    options: [...CONVERSION, 'extension', 'account'],
    usage: 'portico bundle rbac DIR --install-namespace NS',
    load: async () => (await import('./rbac.ts')).rbac,
  },
};

/** `portico bundle validate|convert|rbac DIR`. */
export const bundle = runSubverb('bundle', SUBVERBS);
