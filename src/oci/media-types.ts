/** Media types of manifests and layers. */

export const IMAGE_MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
export const IMAGE_INDEX = 'application/vnd.oci.image.index.v1+json';
const DOCKER_MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';
const DOCKER_LIST = 'application/vnd.docker.distribution.manifest.list.v2+json';

export const MANIFEST_TYPES: readonly string[] = [IMAGE_MANIFEST, DOCKER_MANIFEST];
export const INDEX_TYPES: readonly string[] = [IMAGE_INDEX, DOCKER_LIST];
export const ACCEPT = [...MANIFEST_TYPES, ...INDEX_TYPES].join(', ');

/** What a published package is. */
export const PACKAGE_TYPE = 'application/vnd.portico.package.v1';
/** Its one layer. Flux extracts the first layer whatever it is called; Argo CD takes those of this type. */
export const LAYER_TAR_GZIP = 'application/vnd.oci.image.layer.v1.tar+gzip';
/** A configuration that says nothing, for what is no image. */
export const EMPTY_CONFIG = 'application/vnd.oci.empty.v1+json';

export const IMAGE_CONFIG = 'application/vnd.oci.image.config.v1+json';
const IMAGE_CONFIGS: readonly string[] = [IMAGE_CONFIG, 'application/vnd.docker.container.image.v1+json'];

/** Whether a manifest with this configuration is an image, whose layers are put one on another. */
export function isImageConfig(mediaType: string): boolean {
  return IMAGE_CONFIGS.includes(mediaType);
}

/** Whether a layer is a tar, packed or not. Others are signatures, documents and the like. */
export function isTarLayer(mediaType: string): boolean {
  return /[.+]tar(?:[.+]gzip)?$/.test(mediaType);
}
