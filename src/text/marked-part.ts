/** A part of a text of ours that is written anew while the rest of the text stays; marks around it are not shown. */

export function markedPart(name: string, text: string): string {
  return `${begin(name)}\n${text}\n${end(name)}`;
}

/** The text with another part of this name; as it is where somebody took the marks out. */
export function withPart(text: string, name: string, part: string): string {
  const found = placeOf(text, name);
  if (found === undefined) return text;
  return `${text.slice(0, found.from)}${markedPart(name, part)}${text.slice(found.to)}`;
}

/** What stands in the part of this name; '' where there is none. */
export function partIn(text: string, name: string): string {
  const found = placeOf(text, name);
  if (found === undefined) return '';
  return text.slice(found.from + begin(name).length + 1, found.to - end(name).length - 1);
}

/** The text without the part of this name, and without all that follows where the end of it is gone. */
export function withoutPart(text: string, name: string): string {
  const { from, to } = placeOf(text, name) ?? { from: text.indexOf(begin(name)), to: text.length };
  return from < 0 ? text : `${text.slice(0, from)}${text.slice(to)}`;
}

function placeOf(text: string, name: string): { readonly from: number; readonly to: number } | undefined {
  const from = text.indexOf(begin(name));
  const last = from < 0 ? -1 : text.indexOf(end(name), from);
  return last < 0 ? undefined : { from, to: last + end(name).length };
}

function begin(name: string): string {
  return `<!-- portico:part ${name} -->`;
}

function end(name: string): string {
  return `<!-- portico:part end of ${name} -->`;
}
