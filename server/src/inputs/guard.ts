import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Agent } from 'undici';
import { createAddressPolicy } from './address-policy.ts';
import {
  checkUrl,
  isLoopbackName,
  isMetadataName,
  loopbackAddresses,
  notPublicDetail,
  type Verdict,
} from './check-url.ts';
import { refusedPorts } from './refused-ports.ts';
import { resolveName } from './resolve-name.ts';

export interface OwnAddress {
  address: string;
  port: number;
}

export interface GuardOptions {
  /** CIDR blocks that may be reached besides the public internet, on any port. */
  allowNetworks: readonly string[];
  /** DNS servers as `address:port`; the system's when left out. */
  dnsServers?: readonly string[];
  /** What no URL may reach though its network is open: where we listen, the database. Wildcards count as every interface. */
  ownAddresses?: () => readonly OwnAddress[];
}

/** The one gate to addresses that strangers choose, for downloads of inputs and for webhooks. */
export interface Guard {
  /** What the URL's text alone can tell; no lookup, no connection. */
  checkUrl(url: string): Verdict;
  /** An undici dispatcher whose every connection passes the guard. The caller closes it. */
  agent(options?: GuardedAgentOptions): Promise<Agent>;
}

export type GuardedAgentOptions = Omit<Agent.Options, 'connect' | 'factory'> & {
  /** From the end of the lookup to a connection that is ready, TLS included. */
  connectTimeoutMs?: number;
  lookupTimeoutMs?: number;
  /** A certificate authority besides the system's, for tests. */
  ca?: string;
};

export class GuardError extends Error {
  override name = 'GuardError';
  /** `blocked` will not change by trying again; the others may. */
  readonly reason: 'blocked' | 'name_not_found' | 'lookup_failed' | 'lookup_timeout';

  /** `message` is a sentence for the client; it names no address. */
  constructor(reason: GuardError['reason'], message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

export function createGuard({ allowNetworks, dnsServers, ownAddresses = () => [] }: GuardOptions): Guard {
  const classify = createAddressPolicy(allowNetworks);

  function mayConnect(address: string, port: number): boolean {
    const kind = classify(address);
    if (kind === 'refused' || port === 0 || isOwn(address, port, ownAddresses())) return false;
    return kind === 'open' || !refusedPorts.has(port);
  }

  /** Addresses to connect to, each of them checked. One bad address condemns a name: its owner is playing. */
  async function addressesOf(host: string, port: number, timeoutMs: number): Promise<string[]> {
    if (isLoopbackName(host))
      return orBlocked(loopbackAddresses.filter((address) => mayConnect(address, port)));
    if (isMetadataName(host)) throw new GuardError('blocked', notPublicDetail);
    const addresses = isIP(host) !== 0 ? [host] : await resolveName(host, { timeoutMs, servers: dnsServers });
    if (!addresses.every((address) => mayConnect(address, port)))
      throw new GuardError('blocked', notPublicDetail);
    return addresses.slice(0, maxAddressesTried);
  }

  return {
    checkUrl: (url) => checkUrl(url, { mayConnect, anyNetworkOpen: allowNetworks.length > 0 }),
    async agent(options = {}) {
      // Only now: an idle server needs no client, which is 20 MB.
      const { createGuardedAgent } = await import('./guarded-agent.ts');
      return createGuardedAgent({ addressesOf, mayConnect }, options);
    },
  };
}

/** Browsers try few, too; a name with a thousand addresses must not keep us busy. */
const maxAddressesTried = 6;

function orBlocked(addresses: string[]): string[] {
  if (addresses.length === 0) throw new GuardError('blocked', notPublicDetail);
  return addresses;
}

function isOwn(address: string, port: number, own: readonly OwnAddress[]): boolean {
  return own.some((place) => {
    if (place.port !== port) return false;
    if (place.address !== '0.0.0.0' && place.address !== '::') return place.address === address;
    return address.startsWith('127.') || interfaceAddresses().has(address);
  });
}

function interfaceAddresses(): Set<string> {
  return new Set(
    Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map((entry) => entry.address)),
  );
}
