import { readFileSync } from 'node:fs';

const TABLE = new URL('../../../src/function/schema/kubernetes.txt', import.meta.url);

/** The kinds that the table of schemas knows, as `apps/v1 Deployment`. */
export const KUBERNETES_KINDS: ReadonlySet<string> = new Set(
  [...readFileSync(TABLE, 'utf8').matchAll(/^kind (\S+ \S+)/gm)].map(([, kind = '']) => kind),
);
