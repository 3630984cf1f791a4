import { isIP } from 'node:net';
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
import { GuardError } from './guard-error.ts';
import type { GuardedAgentOptions } from './guarded-agent.ts';
import { isOwnAddress, isThisMachine, type OwnAddress } from './own-addresses.ts';
import { createOwnServices, type OwnServices } from './own-services.ts';
import { createOwnUrls } from './own-urls.ts';
import { refusedPorts } from './refused-ports.ts';
import { resolveName } from './resolve-name.ts';

export interface GuardOptions {
  /** CIDR blocks that may be reached besides the public internet, on any port. */
  allowNetworks: readonly string[];
  /** DNS servers as `address:port`; the system's when left out. */
  dnsServers?: readonly string[];
  /** Where we listen: no URL may lead there though its network is open. */
  ownAddresses?: () => readonly OwnAddress[];
  /** Where the world reaches us, perhaps through a router or a proxy: closed in the same way. */
  ownUrls?: () => readonly string[];
  /** What we use, such as the database: closed in the same way. */
  ownServices?: OwnServices;
}

/** The one gate to addresses that strangers choose, for downloads of inputs and for webhooks. */
export interface Guard {
  /** What the URL's text alone can tell; no lookup, no connection. */
  checkUrl(url: string): Verdict;
  /** An undici dispatcher whose every connection passes the guard. The caller closes it. */
  agent(options?: GuardedAgentOptions): Promise<Agent>;
}

export function createGuard({
  allowNetworks,
  dnsServers,
  ownAddresses = () => [],
  ownUrls: ownUrlsNow = () => [],
  ownServices = createOwnServices([]),
}: GuardOptions): Guard {
  const classify = createAddressPolicy(allowNetworks);
  const ownUrls = createOwnUrls(ownUrlsNow, (host) =>
    // One that cannot be looked up leads no stranger here either.
    resolveName(host, { timeoutMs: ownLookupMs, servers: dnsServers }).catch(() => []),
  );
  const isHere = (address: string) => isThisMachine(address) || ownUrls.addresses().includes(address);

  function mayConnect(address: string, port: number): boolean {
    const kind = classify(address);
    if (kind === 'refused' || port === 0) return false;
    const services = ownServices
      .addresses()
      .filter(({ onlyIfOpen }) => kind === 'open' || !onlyIfOpen || isHere(address));
    const closed = [...ownAddresses(), ...ownUrls.places(), ...services];
    if (isOwnAddress(address, port, closed, isHere)) return false;
    return kind === 'open' || !refusedPorts.has(port);
  }

  /** Addresses to connect to, each of them checked. One bad address condemns a name: its owner is playing. */
  async function addressesOf(host: string, port: number, timeoutMs: number): Promise<string[]> {
    await Promise.all([ownServices.refresh(port), ownUrls.refresh()]);
    if (isLoopbackName(host))
      return orBlocked(loopbackAddresses.filter((address) => mayConnect(address, port)));
    if (isMetadataName(host)) throw new GuardError('blocked', notPublicDetail);
    const addresses = isIP(host) !== 0 ? [host] : await resolveName(host, { timeoutMs, servers: dnsServers });
    if (!addresses.every((address) => mayConnect(address, port)))
      throw new GuardError('blocked', notPublicDetail);
    return addresses.slice(0, maxAddressesTried);
  }

  return {
    checkUrl: (url) =>
      checkUrl(url, { mayConnect, leadsBack: ownUrls.include, anyNetworkOpen: allowNetworks.length > 0 }),
    async agent(options = {}) {
      // Only now: an idle server needs no client, which is 20 MB.
      const { createGuardedAgent } = await import('./guarded-agent.ts');
      return createGuardedAgent({ addressesOf, mayConnect }, options);
    },
  };
}

/** Our own names; whoever waits for them waits for a stranger's as well. */
const ownLookupMs = 2_000;

/** Browsers try few, too; a name with a thousand addresses must not keep us busy. */
const maxAddressesTried = 6;

function orBlocked(addresses: string[]): string[] {
  if (addresses.length === 0) throw new GuardError('blocked', notPublicDetail);
  return addresses;
}
