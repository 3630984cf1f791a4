import { bareHost, portOf } from './check-url.ts';
import type { OwnAddress } from './own-addresses.ts';
import { type CachedLookup, createCachedLookup, type FindAddresses } from './own-services.ts';

/** The URLs by which clients reach the server, whose address may be that of a router or a proxy. */
export interface OwnUrls {
  /** Whether this URL has one of our host names, with http or https: a proxy often redirects one to the other. */
  include(url: URL): boolean;
  /** Reports whether a connection to this host and port targets one of our names. */
  isNamed(host: string, port: number): boolean;
  /** The known addresses of our names. Any server on this machine may answer there as well. */
  addresses(): readonly string[];
  /**
   * The addresses that are blocked under every name. Those of https URLs are not among them: a proxy in front
   * of us may share its address with many other sites, and refuses TLS connections to us under another name.
   */
  places(): readonly OwnAddress[];
  /** Resolves our own names. Waits only for those without a known address. */
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
