/** A Kubernetes resource as data. Function bookkeeping rides in annotations, as the KRM function specification says. */
export type KrmObject = { [field: string]: unknown };
