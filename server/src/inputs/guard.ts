import type { LookupFunction, Socket } from 'node:net';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Agent, buildConnector } from 'undici';
import { createAddressPolicy } from './address-policy.ts';
import {
  bareHost,
  checkUrl,
  defaultPort,
  isLoopbackName,
  isMetadataName,
  loopbackAddresses,
  notPublicDetail,
  type Verdict,
} from './check-url.ts';
import { refusedPorts } from './refused-ports.ts';
import { NameError, resolveName } from './resolve-name.ts';

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
  agent(options?: GuardedAgentOptions): Agent;
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

  function connector(options: GuardedAgentOptions): buildConnector.connector {
    return (target, callback) => {
      const host = bareHost(target.hostname);
      const port = target.port === '' ? defaultPort(target.protocol) : Number(target.port);
      addressesOf(host, port, options.lookupTimeoutMs ?? defaultLookupMs).then(
        (addresses) => {
          // The last word has the socket itself: whatever went before, nothing is sent to a wrong address.
          const isRight = (remote: string) => addresses.includes(remote) && mayConnect(remote, port);
          connectPinned({ target, addresses, isRight, options, callback });
        },
        (error: unknown) => callback(explain(error, host), null),
      );
    };
  }

  return {
    checkUrl: (url) => checkUrl(url, { mayConnect, anyNetworkOpen: allowNetworks.length > 0 }),
    agent: ({ connectTimeoutMs, lookupTimeoutMs, ca, ...rest } = {}) => {
      const timeouts = {
        ...(connectTimeoutMs && { connectTimeoutMs }),
        ...(lookupTimeoutMs && { lookupTimeoutMs }),
      };
      return new Agent({ ...rest, connect: connector({ ...timeouts, ...(ca && { ca }) }) });
    },
  };
}

/** A lookup takes some milliseconds; name servers that need longer than this rarely answer at all. */
const defaultLookupMs = 4_000;
const defaultConnectMs = 5_000;
/** Browsers try few, too; a name with a thousand addresses must not keep us busy. */
const maxAddressesTried = 6;

interface PinnedConnection {
  target: buildConnector.Options;
  addresses: readonly string[];
  isRight(remote: string): boolean;
  options: GuardedAgentOptions;
  callback: buildConnector.Callback;
}

function connectPinned({ target, addresses, isRight, options, callback }: PinnedConnection): void {
  const { connectTimeoutMs: timeout = defaultConnectMs, ca } = options;
  const connect = buildConnector({
    timeout,
    allowH2: false,
    lookup: answerWith(addresses),
    ...(ca && { ca }),
  });
  try {
    connect(target, (error, socket) => {
      if (error !== null) return callback(error, null);
      if (isRight(socket.remoteAddress ?? '')) return callback(null, socket);
      drop(socket);
      callback(new GuardError('blocked', notPublicDetail), null);
    });
  } catch (error) {
    // A host that TLS cannot even ask for throws here, where nobody else would hear it.
    callback(error instanceof Error ? error : new Error(String(error)), null);
  }
}

/** Pins a connection to addresses that were checked: the name is not asked for again. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const records = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, options, callback) => {
    const [first] = records;
    if (first === undefined) return callback(new Error('no address'), '');
    if (options.all) callback(null, records);
    else callback(null, first.address, first.family);
  };
}

function orBlocked(addresses: string[]): string[] {
  if (addresses.length === 0) throw new GuardError('blocked', notPublicDetail);
  return addresses;
}

function drop(socket: Socket): void {
  socket.on('error', () => undefined).destroy();
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

function explain(error: unknown, host: string): Error {
  if (error instanceof NameError) {
    const [reason, message] = nameProblems[error.problem];
    return new GuardError(reason, message(host), error);
  }
  return error instanceof Error ? error : new Error(String(error));
}

const nameProblems: Record<NameError['problem'], [GuardError['reason'], (host: string) => string]> = {
  not_found: ['name_not_found', (host) => `There is no host named ${host}. Check the spelling of the URL.`],
  server_failed: [
    'lookup_failed',
    (host) => `The name ${host} could not be looked up: its name servers report a failure.`,
  ],
  too_slow: [
    'lookup_timeout',
    (host) => `The name ${host} could not be looked up: its name servers do not answer.`,
  ],
};
