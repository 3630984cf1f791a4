import { bareHost, portOf } from './check-url.ts';
import type { OwnAddress } from './own-addresses.ts';
import { createWhereabouts, type FindAddresses, type Whereabouts } from './own-services.ts';

/** Where the world reaches us: perhaps a router or a proxy, whose address no interface of this machine has. */
export interface OwnUrls {
  /** Whether this URL leads to us by its name. http and https are one place to a proxy, and often redirect. */
  include(url: URL): boolean;
  /** Addresses behind our names, as far as is known: whatever listens on this machine may answer there as well. */
  addresses(): readonly string[];
  /**
   * Those of them that are ours under every name. Not those of https: proxies in front of us may share theirs with half
   * the internet, and another name than ours gets no secure connection to us.
   */
  places(): readonly OwnAddress[];
  /** Looks our names up. Only what is not known at all is waited for. */
  refresh(): Promise<void>;
}

export function createOwnUrls(urls: () => readonly string[], find: FindAddresses): OwnUrls {
  const known = new Map<string, { url: URL; whereabouts: Whereabouts }>();
  const own = () => urls().map((text) => known.get(text) ?? learn(text));
  function learn(text: string) {
    const url = new URL(text);
    const place = { url, whereabouts: createWhereabouts(bareHost(url.hostname), find) };
    known.set(text, place);
    return place;
  }
  return {
    include: ({ hostname, port }) =>
      own().some(({ url }) => bareHost(url.hostname) === bareHost(hostname) && url.port === port),
    addresses: () => own().flatMap(({ whereabouts }) => whereabouts.addresses()),
    places: () =>
      own()
        .filter(({ url }) => url.protocol === 'http:')
        .flatMap(({ url, whereabouts }) =>
          whereabouts.addresses().map((address) => ({ address, port: portOf(url) })),
        ),
    async refresh() {
      await Promise.all(own().map(({ whereabouts }) => whereabouts.refresh()));
    },
  };
}
