/** What a bundle is made of besides Portico: the packages, their licences, and the list of them as CycloneDX. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

export interface Component {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly license: string;
  /** What the package's own licence files say. */
  readonly text: string;
  readonly integrity: string;
}

/** The packages that modules, by their paths from the top of the checkout, come from; sorted by name. */
export function componentsOf(modules: readonly string[]): readonly Component[] {
  const directories = modules.flatMap(
    (path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
  );
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly integrity?: string }>>;
  };
  return [...new Set(directories)]
    .map((directory) => componentIn(directory, lock.packages[directory]?.integrity ?? ''))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function componentIn(directory: string, integrity: string): Component {
  const place = join(ROOT, directory);
  const { name, version, license } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as Record<
    'name' | 'version' | 'license',
    string
  >;
  const texts = readdirSync(place)
    .filter((file) => /^(?:licen[cs]e|notice|copying)/i.test(file))
    .toSorted()
    .map((file) => readFileSync(join(place, file), 'utf8').trim());
  if (texts.length === 0 && !existsSync(place)) throw new Error(`${directory} is not installed`);
  return { name, version, license, text: texts.join('\n\n'), integrity };
}

/** The licences as one page. */
export function notices(components: readonly Component[]): string {
  const sections = components.map(
    ({ name, version, license, text }) =>
      `## ${name} ${version}\n\nLicence: ${license}\n\n\`\`\`text\n${text || `Published under ${license}; the package has no licence file.`}\n\`\`\``,
  );
  return `${['# Third-party notices', 'This package contains code of these packages.', ...sections].join('\n\n')}\n`;
}

/** The package URL. */
function reference(name: string, version: string): string {
  return `pkg:npm/${name.replace(/^@/, '%40')}@${version}`;
}

/** CycloneDX 1.6, without a time or a random number, so that the same sources give the same bytes. */
export function softwareBillOfMaterials(
  product: { readonly name: string; readonly version: string },
  components: readonly Component[],
): object {
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([product, components]))}`,
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': reference(product.name, product.version),
        purl: reference(product.name, product.version),
        ...product,
      },
    },
    components: components.map(({ name, version, license, integrity }) => ({
      type: 'library',
      'bom-ref': reference(name, version),
      purl: reference(name, version),
      name,
      version,
      licenses: [{ expression: license }],
      ...(integrity.startsWith('sha512-') && {
        hashes: [
          {
            alg: 'SHA-512',
            content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex'),
          },
        ],
      }),
    })),
    dependencies: [
      {
        ref: reference(product.name, product.version),
        dependsOn: components.map(({ name, version }) => reference(name, version)),
      },
    ],
  };
}

/** A version 5 identifier: it follows from the content. */
function uuidOf(content: string): string {
  const hex = createHash('sha1').update(content).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    `${variant}${hex.slice(18, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
