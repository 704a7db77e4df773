import { asString, unpack, wrongType } from '../arguments.ts';
import { Dict } from '../value.ts';
import type { Native, Value } from '../value.ts';

/** `krmfn.star`: asks what a resource is. */
export const KRMFN: Readonly<Record<string, Native>> = {
  match_gvk(args, named) {
    const [resource, apiVersion, kind] = unpack('match_gvk', ['resource', 'apiVersion', 'kind'], args, named);
    const map = asResource('match_gvk', resource);
    return (
      map.get('apiVersion') === asString('match_gvk', 2, apiVersion) &&
      map.get('kind') === asString('match_gvk', 3, kind)
    );
  },
  match_name: matchMetadata('match_name', 'name'),
  match_namespace: matchMetadata('match_namespace', 'namespace'),
};

/** A resource without the field counts as having it empty. */
function matchMetadata(name: string, field: string): Native {
  return (args, named) => {
    const [resource, wanted] = unpack(name, ['resource', field], args, named);
    const metadata = asResource(name, resource).get('metadata');
    const value = metadata instanceof Dict ? metadata.get(field) : undefined;
    return (value ?? '') === asString(name, 2, wanted);
  };
}

function asResource(name: string, value: Value | undefined): Dict {
  if (value instanceof Dict) return value;
  throw wrongType(name, 1, value, 'dict');
}
