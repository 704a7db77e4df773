import { isBlock } from './layout.ts';
import type {
  ListNode,
  MapEntry,
  MapNode,
  ScalarNode,
  ScalarStyle,
  ScalarValue,
  Slot,
  YamlNode,
} from './node.ts';
import { hasLoneSurrogate, isPlainString } from './scalar.ts';

/**
 * The text of a scalar on one line. A string is plain where every reader takes it for a string; `like` is the style
 * of the scalar that it replaces, and quotes are kept.
 */
export function scalarText(node: ScalarNode, inFlow: boolean, like: ScalarStyle = 'plain'): string {
  const { value } = node;
  const tag = node.tag === undefined ? '' : `${node.tag} `;
  if (typeof value !== 'string') return tag + printScalar(value);
  if (tag !== '') return tag + quote(value, 'double');
  const style = node.style ?? like;
  if (style === 'single' || style === 'double') return quote(value, style);
  return isPlainString(value, inFlow) ? value : quote(value, 'single');
}

/** A number, boolean or null as YAML writes it; text as it is. */
export function printScalar(value: ScalarValue): string {
  if (typeof value !== 'number' || Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return '.nan';
  return value > 0 ? '.inf' : '-.inf';
}

function quote(value: string, style: 'single' | 'double'): string {
  // eslint-disable-next-line no-control-regex -- what single quotes cannot hold on one line
  const single = style === 'single' && !/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]/.test(value);
  if (single && !hasLoneSurrogate(value)) return `'${value.replaceAll("'", "''")}'`;
  return JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A block scalar's text from its header on, each line ended, at this indentation; undefined where none can hold the string. */
export function literalText(value: string, indent: number, eol: string): string | undefined {
  // Breaks at the end would run into blank lines that follow.
  if (!value.includes('\n') || value.endsWith('\n\n') || /[^\S\n]\n|[^\S\n]$/.test(value)) return undefined;
  // eslint-disable-next-line no-control-regex -- what a block scalar cannot hold
  if (/^[\s]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff]/.test(value)) return undefined;
  if (hasLoneSurrogate(value)) return undefined;
  const chomp = value.endsWith('\n') ? '' : '-';
  const body = chomp === '-' ? value : value.slice(0, -1);
  const lines = body.split('\n').map((line) => (line === '' ? '' : ' '.repeat(indent) + line));
  return `|${chomp}${eol}${lines.join(eol)}${eol}`;
}

/** The text of a read node where it fits on one line and reads the same inside `{}` or `[]` if it has to. */
export function inlineText(node: YamlNode, inFlow: boolean): string | undefined {
  const { at } = node;
  if (at === undefined || isBlock(node) || at.start === at.end) return undefined;
  const text = at.source.text.slice(at.start, at.end);
  if (text.includes('\n')) return undefined;
  if (inFlow && node.kind === 'scalar' && node.style === 'plain' && /[,[\]{}]|:$/.test(text))
    return undefined;
  return text;
}

/** The text of a node inside `{}` or `[]`; with `json`, keys and strings have double quotes. */
export function flowText(node: YamlNode, json: boolean): string {
  if (node.kind === 'scalar') {
    const text = inlineText(node, true);
    if (text !== undefined && (!json || typeof node.value !== 'string' || text.startsWith('"'))) return text;
    const style = json ? 'double' : node.style === 'single' || node.style === 'double' ? node.style : 'plain';
    return scalarText(
      { kind: 'scalar', value: node.value, style, ...(node.tag === undefined ? {} : { tag: node.tag }) },
      true,
    );
  }
  if (node.kind === 'alias') return `*${node.name} `;
  const whole = inlineText(node, true);
  if (whole !== undefined && !json) return whole;
  return flowCollection(node, json);
}

/** Writes a flow collection; what stands between the parts that stay is kept. */
function flowCollection(node: MapNode | ListNode, given: boolean): string {
  const [open, close] = node.kind === 'map' ? ['{', '}'] : ['[', ']'];
  const base = node.base ?? (node.at === undefined ? undefined : node);
  const text = base?.at?.source.text ?? '';
  const flow = base?.flow === true && base.at !== undefined ? base.at : undefined;
  const old = base === undefined || flow === undefined ? [] : base.kind === 'map' ? base.entries : base.items;
  const json = given || (flow !== undefined && isJson(text.slice(flow.body, flow.end)));
  const ranges = old.map((slot) => ({
    start: slot.at?.start ?? 0,
    end: Math.max(slot.value.at?.end ?? 0, slot.at?.indicator ?? 0),
  }));
  const pad = flow === undefined || ranges[0] === undefined ? '' : text.slice(flow.body + 1, ranges[0].start);
  const tail =
    flow === undefined || ranges.length === 0 ? '' : text.slice(ranges.at(-1)?.end ?? 0, flow.end - 1);
  const between =
    ranges[0] === undefined || ranges[1] === undefined
      ? pad.includes('\n')
        ? `,${pad}`
        : ', '
      : text.slice(ranges[0].end, ranges[1].start);
  const positions = new Map<Slot, number>(old.map((slot, at) => [slot, at]));
  const first = old[0];
  let previous = -1;
  let out = '';
  const slots = node.kind === 'map' ? node.entries : node.items;
  for (const [position, slot] of slots.entries()) {
    const index = positions.get(slot) ?? (slot.base && positions.get(slot.base)) ?? -1;
    const adjacent = previous >= 0 && index === previous + 1;
    if (position > 0) out += adjacent ? text.slice(ranges[previous]?.end, ranges[index]?.start) : between;
    out += flowSlot({ slot, own: old[index], first, text, json });
    previous = index;
  }
  return slots.length === 0
    ? open + close
    : open + pad + out + (pad === '' ? tail.replace(/^,/, '') : tail) + close;
}

/** One part of a flow collection: as it stands, or with a new value behind its own key, or new in the manner of the first. */
function flowSlot({
  slot,
  own,
  first,
  text,
  json,
}: {
  readonly slot: Slot;
  readonly own: Slot | undefined;
  readonly first: Slot | undefined;
  readonly text: string;
  readonly json: boolean;
}): string {
  if (slot === own && slot.at !== undefined) {
    return text.slice(slot.at.start, Math.max(slot.value.at?.end ?? 0, slot.at.indicator));
  }
  const value = flowText(slot.value, json);
  if (!isEntry(slot)) return value;
  const hasOwnKey = own !== undefined && isEntry(own) && own.name === slot.name;
  const before = hasOwnKey ? keyPart(own, text) : undefined;
  if (before !== undefined) return before + value;
  const manner = first !== undefined && isEntry(first) ? keyPart(first, text) : undefined;
  const colon = /:[ \t]*$/.exec(manner ?? '')?.[0] ?? ': ';
  return flowKey(slot.key, json) + (json ? colon : ': ') + value;
}

/** The text of an entry up to its value; undefined where it has no colon. */
function keyPart(entry: MapEntry, text: string): string | undefined {
  const start = entry.at?.start;
  const end = entry.value.at?.start;
  if (start === undefined || end === undefined) return undefined;
  const part = text.slice(start, end);
  return /:\s*$/.test(part) ? part : undefined;
}

function isEntry(slot: Slot): slot is MapEntry {
  return 'key' in slot;
}

function isJson(text: string): boolean {
  if (!text.includes('"')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function flowKey(key: YamlNode, json: boolean): string {
  if (key.kind === 'scalar' && json) return JSON.stringify(String(key.value));
  return flowText(key, json);
}

/** The text of a key of a block map. */
export function keyText(key: YamlNode): string {
  const text = inlineText(key, false);
  if (text !== undefined) return text;
  return key.kind === 'scalar' ? scalarText(key, false) : flowText(key, false);
}
