import { notAsked } from '../row.ts';
import type { Row } from '../row.ts';

/** Asks nothing: it takes a cluster. */
export const deliveryTools: Row = {
  number: 7,
  belief:
    'Flux and Argo CD report what they did as statuses, deployments or checks on the commit that they reconciled, under names of their own',
  play: () =>
    Promise.resolve(
      notAsked(
        'needs a cluster with Flux or Argo CD that follows the repository, and the App may not write statuses',
      ),
    ),
};
