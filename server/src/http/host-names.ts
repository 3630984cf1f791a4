import { isIP } from 'node:net';

/** The name in a `Host` header, without its port; undefined for what is none. */
function nameIn(host: string | undefined): string | undefined {
  const url = `http://${isIP(host ?? '') === 6 ? `[${host}]` : (host ?? '')}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : undefined;
}

/** Whether a `Host` says that the client went to its own machine. */
export function isThisMachine(host: string | undefined): boolean {
  const name = nameIn(host);
  return (
    name !== undefined &&
    (name === '::1' || isUnder('localhost', name) || (isIP(name) === 4 && name.startsWith('127.')))
  );
}

/** Whether something of ours stands before the server, as far as the settings tell, and passes on what others ask. */
export function isBehindProxy(http: {
  publicUrl: string | null;
  trustedProxies: readonly string[];
}): boolean {
  const { publicUrl, trustedProxies } = http;
  return trustedProxies.length > 0 || (publicUrl !== null && !isThisMachine(new URL(publicUrl).host));
}

// Names of home and company networks: no registry hands them out.
const privateDomains = ['localhost', 'local', 'internal', 'home.arpa'];

/**
 * Whether no stranger can have chosen this `Host`: an address, or a name that nobody can register. A stranger who owns a
 * name may let it lead to this machine, and then a browser takes their pages for ours (DNS rebinding).
 */
export function isNobodysName(host: string | undefined): boolean {
  const name = nameIn(host);
  if (name === undefined || name === '') return false;
  return isIP(name) !== 0 || !name.includes('.') || privateDomains.some((domain) => isUnder(domain, name));
}

function isUnder(domain: string, name: string): boolean {
  return name === domain || name.endsWith(`.${domain}`);
}
