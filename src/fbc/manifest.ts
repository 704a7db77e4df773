/** A manifest that a bundle carries; read when it is asked for, because catalogs carry many that nobody looks at. */
export interface Manifest {
  readonly text: () => string;
}
