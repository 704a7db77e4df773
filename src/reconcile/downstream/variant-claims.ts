/** Pure: what documents may still ask for that nothing could be made of. None of that is let go of. */
import { mayBeGenerated } from '../../package/variant/variant-name.ts';

export interface Claims {
  /** A file of the repository could not be read: it may hold any document. */
  file(control: number): void;
  variant(control: number, name: string): void;
  /** A target of the set failed before its downstream was known. */
  set(control: number, name: string): void;
  /** Whether one of them may ask for the variant of this uid. */
  include(uid: string): boolean;
}

/** The id of the repository in which the document of a variant stands. */
export function controlOf(uid: string): number {
  return Number(uid.split('/')[0]);
}

/** Namespaces are not compared: a document that is refused may have one that could not be read. */
export function createClaims(): Claims {
  const files = new Set<number>();
  const variants = new Set<string>();
  const sets = new Map<number, Set<string>>();
  return {
    file: (control) => void files.add(control),
    variant: (control, name) => void variants.add(`${control}/${name}`),
    set(control, name) {
      const known = sets.get(control) ?? new Set();
      sets.set(control, known.add(name));
    },
    include(uid) {
      const control = controlOf(uid);
      const name = uid.split('/').at(-1) ?? '';
      return (
        files.has(control) ||
        variants.has(`${control}/${name}`) ||
        [...(sets.get(control) ?? [])].some((set) => mayBeGenerated(name, set))
      );
    },
  };
}
