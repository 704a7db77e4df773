/** Hosts of one's own network, which whoever runs Portico allows to be reached. */
import { PorticoError } from '../error.ts';

export interface InsideHost {
  /** As addresses have it: lower case, IPv6 in brackets. */
  readonly hostname: string;
  /** Empty for any. */
  readonly port: string;
  /** Spoken to without TLS. */
  readonly plain: boolean;
}

/** Reads `registry.corp.example`, `registry.corp.example:5000` or `http://127.0.0.1:5000`; undefined for anything else. */
export function parseInsideHost(text: string): InsideHost | undefined {
  const [, scheme = '', authority = ''] = /^(https?:\/\/)?([A-Za-z0-9.:[\]_-]{1,260})\/?$/.exec(text) ?? [];
  // Every scheme drops its own port; this one has none.
  const address = `x://${authority}`;
  if (authority === '' || !URL.canParse(address)) return undefined;
  const { port } = new URL(address);
  const bare = authority.slice(0, authority.length - (port === '' ? 0 : port.length + 1));
  if (!URL.canParse(`http://${bare}`)) return undefined;
  return { hostname: new URL(`http://${bare}`).hostname, port, plain: scheme === 'http://' };
}

/** Reads `INSIDE_HOSTS`: entries with commas or blanks between. Throws `INSIDE_HOSTS_INVALID`. */
export function parseInsideHosts(text: string | undefined): readonly InsideHost[] {
  const entries = (text ?? '').split(/[\s,]+/).filter((entry) => entry !== '');
  return entries.map((entry) => {
    const host = parseInsideHost(entry);
    if (host !== undefined) return host;
    throw new PorticoError('INSIDE_HOSTS_INVALID', `INSIDE_HOSTS: ${entry} is not a host`, {
      blame: 'user',
      hint: 'Write hosts such as registry.corp.example:5000, or http://registry.corp.example without TLS, separated by commas.',
    });
  });
}

/** The entry that allows an address; one that allows it without TLS before others. */
export function insideHostFor(inside: readonly InsideHost[], url: URL): InsideHost | undefined {
  const port = url.port === '' ? (url.protocol === 'http:' ? '80' : '443') : url.port;
  const found = inside.filter(
    (host) => host.hostname === url.hostname && (host.port === '' || host.port === port),
  );
  return found.find((host) => host.plain) ?? found[0];
}
