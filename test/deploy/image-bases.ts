/**
 * What the image is built on. No registry is asked: Debian is put together from its mirror as the slim images are, with the Node and the npm that
 * run the tests. With PORTICO_IMAGE_BASES=pinned, the build takes the bases that the Dockerfile names.
 */
import { copyFileSync, cpSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

import { run, scratch } from '../cli/run-portico.ts';
import { buildImageOf, podman } from './podman.ts';

export const IS_PINNED = process.env['PORTICO_IMAGE_BASES'] === 'pinned';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/** As in https://github.com/debuerreotype/debuerreotype, `.slimify-excludes`. */
const NOT_IN_SLIM = ['doc', 'info', 'linda', 'lintian', 'locale', 'man'].map(
  (name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`,
);

export interface Bases extends AsyncDisposable {
  /** Arguments of the build. */
  readonly args: Readonly<Record<string, string>>;
}

/** Makes the bases under names of their own. */
export async function makeBases(name: string): Promise<Bases> {
  if (IS_PINNED) return { args: {}, [Symbol.asyncDispose]: () => Promise.resolve() };
  using work = scratch();
  const [debian, node] = [`${name}-debian`, `${name}-node`];
  const root = work.path('root.tar');
  const made = await run('mmdebstrap', ['--variant=minbase', ...NOT_IN_SLIM, 'bookworm', root]);
  if (made.code !== 0) throw new Error(`mmdebstrap: ${made.stderr.slice(-4000)}`);
  await podman('import', root, debian);

  const context = work.path('node');
  mkdirSync(context);
  copyFileSync(process.execPath, join(context, 'node'));
  cpSync(npmDirectory(), join(context, 'npm'), { recursive: true });
  copyFileSync(CERTIFICATES, join(context, 'certificates.crt'));
  writeFileSync(
    join(context, 'Dockerfile'),
    `FROM ${debian}
COPY certificates.crt ${CERTIFICATES}
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN apt-get update && apt-get install --yes --no-install-recommends libstdc++6 && ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
ENV NODE_EXTRA_CA_CERTS=${CERTIFICATES}
`,
  );
  await buildImageOf(context, { tag: node });
  return {
    args: { NODE_IMAGE: node, DEBIAN_IMAGE: debian },
    async [Symbol.asyncDispose]() {
      await podman('rmi', '--force', node, debian);
    },
  };
}

/** Where npm is that stands on PATH. */
function npmDirectory(): string {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    try {
      return dirname(dirname(realpathSync(join(folder, 'npm'))));
    } catch {
      // It is in another.
    }
  }
  throw new Error('npm is not on PATH');
}
