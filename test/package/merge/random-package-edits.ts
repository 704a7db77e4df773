/** Edits of documents, files and subpackages as a whole. */
import { onDoc, randomDoc, word } from './random-package.ts';
import type { Chance, Data, Doc, Edit, Model } from './random-package.ts';

export function addDoc(from: Chance, model: Model, resources: readonly Doc[], tag: string): Edit {
  const path = from.some(50) && resources.length > 0 ? from.pick(resources).path : `new-${tag}.yaml`;
  const made = randomDoc(from, `new-${tag}${from.below(9)}`, path);
  const isFirst = from.some(30);
  return {
    name: `add ${made.data['kind'] as string} to ${path}${isFirst ? ' first' : ''}`,
    apply: (target) => {
      const copy = structuredClone(made);
      if (isFirst) target.docs.unshift(copy);
      else target.docs.push(copy);
      return model !== target;
    },
  };
}

export function removeDoc(from: Chance, _: Model, resources: readonly Doc[]): Edit | undefined {
  if (resources.length === 0) return undefined;
  const doc = from.pick(resources);
  return {
    name: `remove doc ${doc.key} of ${doc.path}`,
    apply: (target) => {
      const before = target.docs.length;
      target.docs = target.docs.filter((one) => one.key !== doc.key);
      return target.docs.length < before;
    },
  };
}

export function renameDoc(from: Chance, _: Model, resources: readonly Doc[], tag: string): Edit | undefined {
  if (resources.length === 0) return undefined;
  const doc = from.pick(resources);
  const isSpace = from.some(30);
  return {
    name: `rename ${isSpace ? 'namespace' : 'doc'} ${doc.key}`,
    apply: onDoc(doc, ({ data }) => {
      const metadata = data['metadata'] as Data;
      if (isSpace) metadata['namespace'] = `ns-${tag}`;
      else metadata['name'] = `${word(metadata['name'])}-${tag}`;
      return true;
    }),
  };
}

export function moveDoc(from: Chance, _: Model, resources: readonly Doc[], tag: string): Edit | undefined {
  if (resources.length === 0) return undefined;
  const doc = from.pick(resources);
  return {
    name: `move ${doc.key} from ${doc.path}`,
    apply: onDoc(doc, (one) => {
      one.path = `moved-${tag}.yaml`;
      return true;
    }),
  };
}

export function renameFile(from: Chance, _: Model, resources: readonly Doc[], tag: string): Edit | undefined {
  if (resources.length === 0) return undefined;
  const { path } = from.pick(resources);
  return {
    name: `rename file ${path}`,
    apply: (target) => {
      const inside = target.docs.filter((one) => one.path === path);
      for (const one of inside) one.path = path.replace('.yaml', `-${tag}.yaml`);
      return inside.length > 0;
    },
  };
}

export function editOther(from: Chance, model: Model, _: readonly Doc[], tag: string): Edit | undefined {
  const paths = Object.keys(model.others);
  if (paths.length === 0) return undefined;
  const path = from.pick(paths);
  const line = from.below(6);
  return {
    name: `edit ${path} line ${line}`,
    apply: ({ others }) => {
      const text = others[path];
      if (text === undefined) return false;
      others[path] = text
        .split('\n')
        .map((one, at) => (at === line ? `${one} ${tag}` : one))
        .join('\n');
      return true;
    },
  };
}

export function removeOther(from: Chance, model: Model): Edit | undefined {
  const paths = Object.keys(model.others);
  if (paths.length === 0) return undefined;
  const path = from.pick(paths);
  return { name: `remove ${path}`, apply: ({ others }) => path in others && delete others[path] };
}

export function addOther(from: Chance, _: Model, __: readonly Doc[], tag: string): Edit {
  const path = `notes-${tag}${from.below(2)}.txt`;
  return {
    name: `add ${path}`,
    apply: ({ others }) => {
      others[path] = `by ${tag}\n`;
      return true;
    },
  };
}

export function changeComment(
  from: Chance,
  _: Model,
  resources: readonly Doc[],
  tag: string,
): Edit | undefined {
  if (resources.length === 0) return undefined;
  const doc = from.pick(resources);
  const place = from.pick(['metadata.name', 'spec.replicas', 'spec.type']);
  return {
    name: `comment ${doc.key}.${place}`,
    apply: onDoc(doc, (one) => {
      one.comments[place] = ` of ${tag}`;
      return true;
    }),
  };
}

export function bumpVersion(from: Chance, _: Model, resources: readonly Doc[]): Edit | undefined {
  const doc = resources.find(({ data }) => data['kind'] === 'Widget' || data['kind'] === 'Role');
  if (doc === undefined || from.some(30)) return undefined;
  return {
    name: `apiVersion of ${doc.key}`,
    apply: onDoc(doc, ({ data }) => {
      data['apiVersion'] = word(data['apiVersion']).replace(/v1.*/, 'v1beta2');
      return true;
    }),
  };
}

export function addSubpackage(from: Chance, model: Model, _: readonly Doc[], tag: string): Edit {
  const made = randomDoc(from, `sub-${tag}`, `added-${tag}/in.yaml`);
  const root = model.docs.find(({ path }) => path === 'Kptfile')!;
  return {
    name: `add subpackage added-${tag}`,
    apply: (target) => {
      const path = `added-${tag}/Kptfile`;
      target.docs.push({ ...structuredClone(root), key: path, path }, structuredClone(made));
      return true;
    },
  };
}

export function removeSubpackage(_: Chance, model: Model): Edit | undefined {
  if (!model.docs.some(({ path }) => path === 'sub/Kptfile')) return undefined;
  return {
    name: 'remove subpackage sub',
    apply: (target) => {
      const before = target.docs.length;
      target.docs = target.docs.filter(({ path }) => !path.startsWith('sub/'));
      return target.docs.length < before;
    },
  };
}
