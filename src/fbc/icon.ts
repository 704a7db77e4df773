import { isBase64 } from './properties.ts';

const STARTS: Readonly<Record<string, RegExp>> = {
  'image/png': /^\u0089PNG\r\n/,
  'image/jpeg': /^\u00ff\u00d8\u00ff/,
  'image/gif': /^GIF8[79]a/,
  'image/webp': /^RIFF[^]{4}WEBP/,
  'image/svg+xml': /^[^]{0,2048}<svg\b/i,
};

/** Why an icon would not be shown; undefined for a good one, and for types that are not known here. */
export function iconProblem({
  base64data,
  mediatype,
}: {
  base64data: string;
  mediatype: string;
}): string | undefined {
  if (base64data === '') return 'icon data must be set if icon is defined';
  if (mediatype === '') return 'icon mediatype must be set if icon is defined';
  if (!isBase64(base64data)) return 'icon data is not base64';
  const start = atob(base64data.replaceAll(/\s/g, '').slice(0, 4_096));
  const expected = Object.hasOwn(STARTS, mediatype) ? STARTS[mediatype] : undefined;
  if (expected === undefined || expected.test(start)) return undefined;
  const [real] = Object.entries(STARTS).find(([, pattern]) => pattern.test(start)) ?? [];
  if (real === undefined) return 'icon data is not an image';
  return `icon media type "${mediatype}" does not match detected media type "${real}"`;
}
