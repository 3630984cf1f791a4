import { isIP } from 'node:net';
import type { Agent } from 'undici';
import { createAddressPolicy, mayBeServer } from './address-policy.ts';
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
import { createOwnServices, findAddresses, type OwnServices } from './own-services.ts';
import { createOwnUrls } from './own-urls.ts';
import { refusedPorts } from './refused-ports.ts';
import { resolveName } from './resolve-name.ts';

export interface GuardOptions {
  /** CIDR blocks that may be reached in addition to the public internet, on any port. */
  allowNetworks: readonly string[];
  /** DNS servers as `address:port`; by default, the system's. */
  dnsServers?: readonly string[];
  /** The addresses that the server listens on. No URL may reach them, even in an allowed network. */
  ownAddresses?: () => readonly OwnAddress[];
  /** The URLs by which clients reach the server, perhaps through a proxy. The guard blocks them. */
  ownUrls?: () => readonly string[];
  /** Servers that we use, such as the database, which no URL may reach. */
  ownServices?: OwnServices;
}

/** Checks every connection to a URL that a client chose: downloads of inputs, and webhooks. */
export interface Guard {
  checkUrl(url: string): Verdict;
  /** Returns an undici dispatcher whose every connection passes the guard. The caller closes it. */
  agent(options?: GuardedAgentOptions): Promise<Agent>;
  /** An agent for servers that operators name. Reaches private networks, but not Darkroom or credential services. */
  serverAgent(options?: GuardedAgentOptions): Promise<Agent>;
}

export function createGuard({
  allowNetworks,
  dnsServers,
  ownAddresses = () => [],
  ownUrls: ownUrlsNow = () => [],
  ownServices = createOwnServices(() => []),
}: GuardOptions): Guard {
  const classify = createAddressPolicy(allowNetworks);
  const ownUrls = createOwnUrls(ownUrlsNow, (host) =>
    // If our own name does not resolve, clients' URLs cannot reach us by that name either.
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

  /** Looks up addresses and checks each. One forbidden address blocks the name, because it is a sign of an attack. */
  async function addressesOf(host: string, port: number): Promise<string[]> {
    await Promise.all([ownServices.refresh(port), ownUrls.refresh()]);
    if (isLoopbackName(host))
      return orBlocked(loopbackAddresses.filter((address) => mayConnect(address, port)));
    if (isMetadataName(host)) throw new GuardError('blocked', notPublicDetail);
    const addresses =
      isIP(host) !== 0 ? [host] : await resolveName(host, { timeoutMs: lookupMs, servers: dnsServers });
    if (!addresses.every((address) => mayConnect(address, port)))
      throw new GuardError('blocked', notPublicDetail);
    return addresses.slice(0, maxAddressesTried);
  }

  function mayServe(address: string, port: number): boolean {
    if (port === 0 || !mayBeServer(address)) return false;
    // A server named by an operator may be one of the services that are blocked only in opened networks.
    const services = ownServices.addresses().filter(({ onlyIfOpen }) => !onlyIfOpen);
    return !isOwnAddress(address, port, [...ownAddresses(), ...services], isHere);
  }

  /** Resolves names like the system, with its hosts file and search domains, because operators use such names. */
  async function addressesOfServer(host: string, port: number): Promise<string[]> {
    await Promise.all([ownServices.refresh(port), ownUrls.refresh()]);
    if (ownUrls.isNamed(host, port) || isMetadataName(host))
      throw new GuardError('blocked', notAServerDetail);
    const addresses = await findAddresses(host);
    if (!addresses.every((address) => mayServe(address, port)))
      throw new GuardError('blocked', notAServerDetail);
    return addresses.slice(0, maxAddressesTried);
  }

  return {
    checkUrl: (url) =>
      checkUrl(url, { mayConnect, isOwnUrl: ownUrls.include, anyNetworkOpen: allowNetworks.length > 0 }),
    async agent(options = {}) {
      // Loaded on first use, because the client takes 20 MB, which an idle server does not need.
      const { createGuardedAgent } = await import('./guarded-agent.ts');
      return createGuardedAgent({ addressesOf, mayConnect }, options);
    },
    async serverAgent(options = {}) {
      const { createGuardedAgent } = await import('./guarded-agent.ts');
      const rules = { addressesOf: addressesOfServer, mayConnect: mayServe };
      return createGuardedAgent(rules, { ...options, blockedDetail: notAServerDetail });
    },
  };
}

/** The time limit for a DNS lookup, which takes milliseconds. Slower name servers rarely answer at all. */
const lookupMs = 4_000;
/** The time limit for looking up our own names, during which a client's connection waits. */
const ownLookupMs = 2_000;

/** The message for a refused address. It does not reveal the server behind the address. */
export const notAServerDetail =
  'This address cannot be used: it leads to Darkroom itself, to a service that it uses, or to the credential service of a cloud.';

/** The maximum number of addresses tried. Browsers also try few, and a thousand would keep the server busy. */
const maxAddressesTried = 6;

function orBlocked(addresses: string[]): string[] {
  if (addresses.length === 0) throw new GuardError('blocked', notPublicDetail);
  return addresses;
}
