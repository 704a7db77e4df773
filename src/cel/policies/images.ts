/** Policies about container images. */
import type { ReadyPolicy } from './ready-policy.ts';
import { CONTAINERS } from './workloads.ts';

/** Images of containers and of volumes; the tag is what follows the last colon behind the last slash. */
const IMAGES = [
  ...CONTAINERS,
  {
    name: 'images',
    expression: `(variables.containers.filter(c, has(c.spec.image)).map(c, {'field': c.path + '.image', 'image': c.spec.image}) +
      variables.pod.?volumes.orValue([]).transformList(i, v, has(v.image) && has(v.image.reference),
        {'field': variables.podPath + '.volumes[' + string(i) + '].image.reference', 'image': v.image.reference})).map(i, {
      'field': i.field,
      'image': i.image,
      'last': i.image.split('@')[0].split('/')[size(i.image.split('@')[0].split('/')) - 1],
      'digest': i.image.contains('@')
    })`,
  },
];

export const noLatestImages: ReadyPolicy = {
  name: 'no-latest-images',
  demands: 'Every image of a container or volume has a tag other than `latest`, or a digest.',
  params: {},
  policy: {
    variables: IMAGES,
    validations: [
      {
        expression: `variables.images
          .filter(i, !i.digest && (!i.last.contains(':') || i.last.endsWith(':latest')))
          .map(i, {'field': i.field, 'message': 'the image ' + i.image + (i.last.contains(':') ? ' is whatever is latest' : ' has no tag') + ': name a version or a digest'})`,
      },
    ],
  },
};

export const allowedRegistries: ReadyPolicy = {
  name: 'allowed-registries',
  demands: 'Every image of a container or volume comes from one of the registries.',
  notes:
    'An image without a registry is from `docker.io`, one without a path there from `docker.io/library`.',
  params: {
    registries: {
      type: 'texts',
      required: true,
      about: 'registries, with a path where only that is meant, such as `ghcr.io/acme`',
    },
  },
  policy: {
    variables: [
      ...IMAGES,
      {
        name: 'whole',
        expression: `variables.images.map(i, {'field': i.field, 'image': i.image,
          'whole': !i.image.contains('/') ? 'docker.io/library/' + i.image
            : i.image.split('/')[0].matches('[.:A-Z]|^localhost$') ? i.image
            : 'docker.io/' + i.image})`,
      },
    ],
    validations: [
      {
        expression: `variables.whole
          .filter(i, !params.registries.exists(r, i.whole.startsWith(r.endsWith('/') ? r : r + '/')))
          .map(i, {'field': i.field, 'message': 'the image ' + i.image + ' is from none of the allowed registries: ' + params.registries.join(', ')})`,
      },
    ],
  },
};
