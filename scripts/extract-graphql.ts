/** GitHub's GraphQL schema cut down to the types and fields that the local forge serves. */
import { readFileSync } from 'node:fs';

import { assertValidSchema, buildASTSchema, Kind, parse, print, visit } from 'graphql';
import type { DefinitionNode, DocumentNode, TypeNode } from 'graphql';

import { GRAPHQL_TYPES } from './forge-surface.ts';

const BUILT_IN = new Set(['String', 'Int', 'Float', 'Boolean', 'ID']);

/** The parts of the extract, by the name of their module. */
const PARTS = {
  operations: (node: DefinitionNode) =>
    'name' in node && /^(?:Query|Mutation)$|Payload$/.test(node.name?.value ?? ''),
  inputs: (node: DefinitionNode) => node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION,
  values: (node: DefinitionNode) =>
    node.kind === Kind.ENUM_TYPE_DEFINITION || node.kind === Kind.SCALAR_TYPE_DEFINITION,
  objects: () => true,
} as const;

/**
 * Reads the whole SDL at `path` and returns modules with the SDL of the part listed in `forge-surface.ts`, without prose,
 * by file name.
 */
export function extractGraphql(path: string): Record<string, string> {
  const whole = withoutProse(parse(readFileSync(path, 'utf8'), { noLocation: true }));
  const byName = new Map(
    whole.definitions.flatMap((node) =>
      'name' in node && node.name ? [[node.name.value, node] as const] : [],
    ),
  );
  const kept = new Map<string, DefinitionNode>();
  for (const [name, fields] of Object.entries(GRAPHQL_TYPES)) {
    const definition = byName.get(name);
    if (definition === undefined) throw new Error(`the schema has no type ${name}`);
    kept.set(name, onlyFields(definition, fields, byName));
  }
  addReached(kept, byName);
  const definitions = [...kept.values()];
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions };
  assertValidSchema(buildASTSchema(document));
  const grouped = Object.groupBy(
    definitions,
    (node) => (Object.keys(PARTS) as (keyof typeof PARTS)[]).find((part) => PARTS[part](node)) ?? 'objects',
  );
  return Object.fromEntries(
    Object.entries(grouped).map(([part, nodes]) => [
      `schema-${part}.ts`,
      "/** A part of GitHub's GraphQL schema (@octokit/graphql-schema, MIT), written by scripts/extract-openapi.ts. */\n" +
        `export const SCHEMA_${part.toUpperCase()} = \`\n${print({ kind: Kind.DOCUMENT, definitions: nodes })}\n\`;\n`,
    ]),
  );
}

function withoutProse(document: DocumentNode): DocumentNode {
  return visit(document, {
    enter: (node) =>
      'description' in node && node.description ? { ...node, description: undefined } : undefined,
    Directive: () => null,
  });
}

function onlyFields(
  node: DefinitionNode,
  wanted: string,
  byName: ReadonlyMap<string, DefinitionNode>,
): DefinitionNode {
  if (node.kind === Kind.UNION_TYPE_DEFINITION) {
    return { ...node, types: (node.types ?? []).filter((each) => each.name.value in GRAPHQL_TYPES) };
  }
  if (node.kind !== Kind.OBJECT_TYPE_DEFINITION && node.kind !== Kind.INTERFACE_TYPE_DEFINITION) {
    throw new Error(`${node.kind} is not an object, interface or union`);
  }
  const names = new Set(wanted.split(' '));
  const fields = (node.fields ?? []).filter((field) => {
    const type = byName.get(nameOf(field.type))?.kind;
    const composite =
      type === Kind.OBJECT_TYPE_DEFINITION ||
      type === Kind.INTERFACE_TYPE_DEFINITION ||
      type === Kind.UNION_TYPE_DEFINITION;
    return (
      (wanted === '*' || names.delete(field.name.value)) &&
      (!composite || nameOf(field.type) in GRAPHQL_TYPES)
    );
  });
  if (wanted !== '*' && names.size > 0) throw new Error(`${node.name.value} has no ${[...names].join(', ')}`);
  const interfaces = (node.interfaces ?? []).filter((each) => each.name.value in GRAPHQL_TYPES);
  return { ...node, fields, interfaces };
}

function addReached(kept: Map<string, DefinitionNode>, byName: ReadonlyMap<string, DefinitionNode>): void {
  const waiting = [...kept.values()];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const name of typeNames(node)) {
      const definition = byName.get(name);
      if (kept.has(name) || BUILT_IN.has(name) || definition === undefined) continue;
      kept.set(name, definition);
      waiting.push(definition);
    }
  }
}

function typeNames(node: DefinitionNode): string[] {
  const names: string[] = [];
  visit(node, {
    NamedType: (type) => {
      names.push(type.name.value);
    },
  });
  return names;
}

function nameOf(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type);
}
