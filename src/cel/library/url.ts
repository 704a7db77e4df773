/** URLs as Go's url.ParseRequestURI reads them: absolute, or a path from the root. */

export interface Url {
  readonly scheme: string;
  /** With the port. */
  readonly host: string;
  /** Without the port, and without the brackets of IPv6. */
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
  readonly query: ReadonlyMap<string, string[]>;
}

/** Characters of a URL that is parsed. */
const MAX_LENGTH = 8192;

/** Undefined for what is no URL. */
export function readUrl(text: string): Url | undefined {
  // eslint-disable-next-line no-control-regex -- control characters are what is refused
  if (text === '' || text.length > MAX_LENGTH || /[\u0000-\u001f\u007f]/.test(text)) return undefined;
  const found = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?]*))?([^?]*)(?:\?(.*))?$/s.exec(text);
  if (found === null) return undefined;
  const [, scheme = '', authority, path = '', query = ''] = found;
  if (scheme === '' && (authority !== undefined || !path.startsWith('/'))) return undefined;
  const place = authority === undefined ? NOWHERE : readAuthority(authority);
  const escaped = escapePath(path);
  if (place === undefined || escaped === undefined) return undefined;
  return { scheme: scheme.toLowerCase(), ...place, path: escaped, query: readQuery(query) };
}

type Place = Pick<Url, 'host' | 'hostname' | 'port'>;
const NOWHERE: Place = { host: '', hostname: '', port: '' };

function readAuthority(authority: string): Place | undefined {
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const found = /^(\[[0-9A-Fa-f:.]+(?:%25[^\]]+)?\]|[^:[\]]*)(?::(\d*))?$/.exec(host);
  if (found === null || /[\s<>"^`{|}\\]/.test(host) || /%(?![0-9A-Fa-f]{2})/.test(host)) return undefined;
  const [, name = '', port = ''] = found;
  return { host, hostname: name.replaceAll(/^\[|\]$/g, ''), port };
}

/** Escapes what a path may not hold; undefined for broken escapes. */
function escapePath(path: string): string | undefined {
  if (/%(?![0-9A-Fa-f]{2})/.test(path)) return undefined;
  return path.replaceAll(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%[\]]+/gu, (part) =>
    encodeURIComponent(part.toWellFormed()),
  );
}

function readQuery(query: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const [key = '', ...rest] = pair.split('=');
    const [name, value] = [unescape(key), unescape(rest.join('='))];
    if (name === undefined || value === undefined) continue;
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  return values;
}

function unescape(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
