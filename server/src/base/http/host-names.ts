import { isIP } from 'node:net';

/** Returns the name in a `Host` header, without its port; undefined if it is invalid. */
function nameIn(host: string | undefined): string | undefined {
  const url = `http://${isIP(host ?? '') === 6 ? `[${host}]` : (host ?? '')}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : undefined;
}

/** Whether a `Host` header names the client's own machine. */
export function isThisMachine(host: string | undefined): boolean {
  const name = nameIn(host);
  return (
    name !== undefined &&
    (name === '::1' || isUnder('localhost', name) || (isIP(name) === 4 && name.startsWith('127.')))
  );
}

/** Whether the settings suggest that a proxy forwards requests to the server. */
export function isBehindProxy(http: {
  publicUrl: string | null;
  trustedProxies: readonly string[];
}): boolean {
  const { publicUrl, trustedProxies } = http;
  return trustedProxies.length > 0 || (publicUrl !== null && !isThisMachine(new URL(publicUrl).host));
}

// Domains of home and company networks. Nobody can register a name in them.
const privateDomains = ['localhost', 'local', 'internal', 'home.arpa'];

/** Whether no stranger can own the name in this `Host`, and so point it at this machine (DNS rebinding). */
export function isUnregistrableHost(host: string | undefined): boolean {
  const name = nameIn(host);
  if (name === undefined || name === '') return false;
  return isIP(name) !== 0 || !name.includes('.') || privateDomains.some((domain) => isUnder(domain, name));
}

function isUnder(domain: string, name: string): boolean {
  return name === domain || name.endsWith(`.${domain}`);
}
