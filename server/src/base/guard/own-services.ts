import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isLoopbackName } from './check-url.ts';
import { everyInterface, isThisMachine, type OwnAddress } from './own-addresses.ts';

/** A server that we use and that clients must not reach through us. */
export interface OwnService {
  /** A name, an address, or the folder of a socket, as in our connection settings. */
  host: string;
  port: number;
  /** Blocks the address only in an allowed network or on this machine, because a public address may be shared. */
  onlyIfOpen?: boolean;
}

export interface OwnServices {
  addresses(): readonly (OwnAddress & Pick<OwnService, 'onlyIfOpen'>)[];
  /** Resolves the services for this port. Waits only for services without a known address. */
  refresh(port: number): Promise<void>;
}

export type FindAddresses = (host: string) => Promise<readonly string[]>;

/** Calls `list` whenever it needs the services, because they come and go while the process runs. */
export function createOwnServices(
  list: () => readonly OwnService[],
  find: FindAddresses = findAddresses,
): OwnServices {
  const byHost = new Map<string, CachedLookup>();
  const lookupOf = (host: string) => {
    const cached = byHost.get(host) ?? createCachedLookup(host, find);
    byHost.set(host, cached);
    return cached;
  };
  const withLookups = () => list().map((service) => ({ service, cached: lookupOf(service.host) }));
  return {
    addresses: () =>
      withLookups().flatMap(({ service, cached }) =>
        cached.addresses().map((address) => ({ ...service, address })),
      ),
    async refresh(port) {
      const asked = withLookups().filter(({ service }) => service.port === port);
      await Promise.all(asked.map(({ cached }) => cached.refresh()));
    },
  };
}

/** The maximum age of an address. After a failover, our connections to the old address have ended by then. */
const maxAgeMs = 30_000;

export interface CachedLookup {
  addresses(): readonly string[];
  refresh(): Promise<void> | undefined;
}

/** Keeps the addresses of a host when a lookup fails, because then our own connections cannot have moved either. */
export function createCachedLookup(host: string, find: FindAddresses): CachedLookup {
  const fixed = fixedAddress(host);
  let addresses: readonly string[] = fixed === undefined ? [] : [fixed];
  let freshUntil = Number.NEGATIVE_INFINITY;
  let awaited: Promise<void> | undefined;
  return {
    addresses: () => addresses,
    refresh(): Promise<void> | undefined {
      if (fixed !== undefined || performance.now() < freshUntil) return awaited;
      freshUntil = performance.now() + maxAgeMs;
      const looked = find(host).then(
        (found) => {
          addresses = found.map(orEveryInterface);
        },
        () => {
          freshUntil = Number.NEGATIVE_INFINITY;
        },
      );
      awaited = addresses.length > 0 ? undefined : looked;
      return awaited;
    },
  };
}

/** The address of a host that needs no lookup: an IP address, a name of this machine, or a socket's folder. */
function fixedAddress(host: string): string | undefined {
  if (isIP(host) !== 0) return orEveryInterface(host);
  return host.startsWith('/') || isLoopbackName(host) ? everyInterface : undefined;
}

function orEveryInterface(address: string): string {
  return isThisMachine(address) ? everyInterface : address;
}

/** Resolves a host as our drivers do, with the hosts file and search domains that plain DNS lacks. */
export async function findAddresses(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
