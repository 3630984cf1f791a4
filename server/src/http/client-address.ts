import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

declare module 'fastify' {
  interface FastifyRequest {
    /** Whoever asks for the address of a client asks for this one. */
    readonly clientAddress: string;
  }
}

/** Gives requests their `clientAddress`, with what these networks say of it. */
export function tellClientAddress(server: FastifyInstance, trustedProxies: readonly string[]): void {
  const clientAddress = createClientAddress(trustedProxies);
  server.decorateRequest('clientAddress', {
    getter() {
      return clientAddress(this.raw);
    },
  });
}

/**
 * Whose address a request is logged and limited under: the other end of its connection, unless that is one of our
 * proxies. Then it is what the proxy says, in the last place of `X-Forwarded-For`, and so on to the left for as long as
 * that is a proxy too. What stands further to the left comes from the client, who may write what it likes.
 */
export function createClientAddress(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const networks = trustedProxies.map((network) => ipaddr.parseCIDR(network));
  const isProxy = (address: Address) =>
    networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
  return ({ socket, headers }) => {
    let address = parseAddress(socket.remoteAddress ?? '');
    if (!address) return ''; // the connection is gone
    const hops = String(headers['x-forwarded-for'] ?? '').split(',');
    while (isProxy(address)) {
      const before = parseAddress(hops.pop()?.trim() ?? '');
      if (!before) break;
      address = before;
    }
    return address.toString();
  };
}

/** Some proxies write the port too, which would make each connection another client. */
function parseAddress(text: string): Address | undefined {
  const [, bracketed, dotted] = /^(?:\[(.*)\]|([\d.]+))(?::\d+)?$/.exec(text) ?? [];
  const bare = bracketed ?? dotted ?? text;
  return isIP(bare) === 0 ? undefined : ipaddr.process(bare); // an IPv4 address in IPv6 clothes is one of IPv4
}
