import { factsOfImage, functionFacts } from '../function/reference.ts';
import type { FunctionFacts } from '../function/reference.ts';
import { EXIT } from './exit-code.ts';
import type { Call } from './verb.ts';

/** `portico get functions`: what is built in, by type or image. Exit code 1 where an image is none of it. */
export async function getFunctions(call: Call): Promise<number> {
  const { terminal } = call;
  const type = call.text('type');
  const image = call.text('image');
  const named =
    image === undefined ? functionFacts() : [factsOfImage(image)].filter((one) => one !== undefined);
  const functions = named.filter((one) => type === undefined || one.type.split(' or ').includes(type));
  if (terminal.json) terminal.document({ functions });
  else for (const one of functions) terminal.print(described(one));
  if (image === undefined || named.length > 0) return EXIT.ok;
  terminal.say(`${image} is not built in.`);
  terminal.say('See: portico get functions. docs/functions.md shows how to allow other images.');
  return EXIT.failed;
}

function described({
  name,
  versions,
  type,
  runtime,
  summary,
  config,
  fields,
  idempotent,
}: FunctionFacts): string {
  return [
    `${name}  ${versions.join(', ')}  (${type}, ${runtime})`,
    `  ${summary}`,
    `  configuration: ${config.join(', ')}; touches: ${fields}; idempotent: ${idempotent}`,
  ].join('\n');
}
