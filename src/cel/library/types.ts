/** Short names of CEL types, for the signatures of library functions. */
import { CelScalar, listType, mapType } from '@bufbuild/cel';

export const { BOOL, BYTES, DOUBLE, DYN, INT, STRING, UINT } = CelScalar;
export const LIST = listType(CelScalar.DYN);
export const MAP = mapType(CelScalar.DYN, CelScalar.DYN);
