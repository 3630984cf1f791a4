import { bareHost, portOf } from './check-url.ts';
import type { OwnAddress } from './own-addresses.ts';
import { type CachedLookup, createCachedLookup, type FindAddresses } from './own-services.ts';

/** The URLs by which clients reach the server. Their address may be a router's or a proxy's. */
export interface OwnUrls {
  /** Whether this URL, http or https, has one of our host names: proxies often redirect between the two. */
  include(url: URL): boolean;
  /** Whether a connection to this host and port is to one of our names. */
  isNamed(host: string, port: number): boolean;
  /** The known addresses of our names, at which other servers on this machine may answer too. */
  addresses(): readonly string[];
  /** Addresses to block under any name. Those of https URLs are left out, because many sites may share our proxy. */
  places(): readonly OwnAddress[];
  /** Resolves our own names. Waits only for names without a known address. */
  refresh(): Promise<void>;
}

export function createOwnUrls(urls: () => readonly string[], find: FindAddresses): OwnUrls {
  const known = new Map<string, { url: URL; cached: CachedLookup }>();
  const own = () => urls().map((text) => known.get(text) ?? learn(text));
  function learn(text: string) {
    const url = new URL(text);
    const place = { url, cached: createCachedLookup(bareHost(url.hostname), find) };
    known.set(text, place);
    return place;
  }
  return {
    include: ({ hostname, port }) =>
      own().some(({ url }) => bareHost(url.hostname) === bareHost(hostname) && url.port === port),
    isNamed: (host, port) => own().some(({ url }) => bareHost(url.hostname) === host && portOf(url) === port),
    addresses: () => own().flatMap(({ cached }) => cached.addresses()),
    places: () =>
      own()
        .filter(({ url }) => url.protocol === 'http:')
        .flatMap(({ url, cached }) => cached.addresses().map((address) => ({ address, port: portOf(url) }))),
    async refresh() {
      await Promise.all(own().map(({ cached }) => cached.refresh()));
    },
  };
}
