import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { type Address, isIn, parseNetwork } from '../std/networks/networks.ts';
import { socketOf } from './connections/socket-of.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The IP address of the client, behind any trusted proxies. */
    clientAddress: string;
  }
}

/** Returns a hook that sets `clientAddress` while the connection exists. `trustedProxies` are addresses or networks. */
export function decorateClientAddress(
  server: FastifyInstance,
  trustedProxies: readonly string[],
): (request: FastifyRequest) => void {
  const clientAddress = createClientAddress(trustedProxies);
  server.decorateRequest('clientAddress', '');
  return (request) => {
    request.clientAddress = clientAddress(request.raw);
  };
}

/**
 * Returns the peer's address, or behind a trusted proxy the last entry of `X-Forwarded-For` that is not a trusted
 * proxy. Clients can forge earlier entries.
 */
export function createClientAddress(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const proxies = trustedProxies.map(parseNetwork);
  // The IP addresses of peers that are not proxies, read once per connection, because reading them is slow.
  const peers = new WeakMap<Socket, string>();
  return (request) => {
    const socket = socketOf(request);
    if (!socket) return '';
    const known = peers.get(socket);
    if (known !== undefined) return known;
    let address = parseAddress(socket.remoteAddress ?? '');
    if (!address) return ''; // the connection is gone
    if (!isIn(proxies, address)) peers.set(socket, address.toString());
    const hops = String(request.headers['x-forwarded-for'] ?? '').split(',');
    while (isIn(proxies, address)) {
      const before = parseAddress(hops.pop()?.trim() ?? '');
      if (!before) break;
      address = before;
    }
    return address.toString();
  };
}

/** Drops the port that some proxies append. With the port, each connection would look like a different client. */
function parseAddress(text: string): Address | undefined {
  const [, bracketed, dotted] = /^(?:\[(.*)\]|([\d.]+))(?::\d+)?$/.exec(text) ?? [];
  const bare = bracketed ?? dotted ?? text;
  return isIP(bare) === 0 ? undefined : ipaddr.process(bare); // turns an IPv4-mapped IPv6 address into IPv4
}
