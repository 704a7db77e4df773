/**
 * Values that CEL code passes around without looking inside: optionals, quantities, addresses. The evaluator knows
 * messages only, so each is a message of one field, a text that is equal for equal values, with its value beside it.
 */
import { objectType, type CelType } from '@bufbuild/cel';
import { create, createFileRegistry, type DescMessage } from '@bufbuild/protobuf';
import { isReflectMessage, reflect, type ReflectMessage } from '@bufbuild/protobuf/reflect';
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt';

const behind = new WeakMap<object, unknown>();

/** One kind of opaque value. */
export interface Opaque<Value> {
  readonly desc: DescMessage;
  readonly type: CelType & { readonly kind: 'object' };
  /** `key` is equal for equal values. */
  wrap(value: Value, key: string): ReflectMessage;
  /** The value behind it; undefined for anything that is not of this kind. */
  unwrap(value: unknown): Value | undefined;
}

/** Makes a kind of value; `name` is what `type(x)` says, such as `net.IP`. */
export function opaque<Value>(name: string): Opaque<Value> {
  const desc = messageNamed(name);
  return {
    desc,
    type: objectType(desc),
    wrap(value, key) {
      const message = create(desc, { key });
      behind.set(message, value);
      return reflect(desc, message);
    },
    unwrap(value) {
      if (!isReflectMessage(value, desc)) return undefined;
      return behind.get(value.message) as Value | undefined;
    },
  };
}

function messageNamed(name: string): DescMessage {
  const dot = name.lastIndexOf('.');
  const file = create(FileDescriptorProtoSchema, {
    name: `${name}.proto`,
    package: dot === -1 ? '' : name.slice(0, dot),
    syntax: 'proto3',
    messageType: [
      {
        name: name.slice(dot + 1),
        field: [
          {
            name: 'key',
            jsonName: 'key',
            number: 1,
            label: FieldDescriptorProto_Label.OPTIONAL,
            type: FieldDescriptorProto_Type.STRING,
          },
        ],
      },
    ],
  });
  const desc = createFileRegistry(file, () => undefined).getMessage(name);
  if (desc === undefined) throw new Error(`the type ${name} could not be made`);
  return desc;
}
