import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../../errors.ts';
import { healthPaths } from '../health-calls.ts';
import { socketOf } from './socket-of.ts';

// The number of connections that are reserved for health checks when the server is at its limit.
const healthShare = 32;
// The maximum number of connections, more than a process can serve. Each takes a few kilobytes.
const mostConnections = 8_192;

/**
 * At the limit, a new connection replaces the one that was idle the longest. When all but `healthShare` connections are
 * serving requests, the server refuses further requests except health checks.
 */
export function limitConnections(server: FastifyInstance, max: number): void {
  const maxAnswered = max - Math.min(healthShare, Math.floor(max / 2));
  /** The number of running requests on each connection. */
  const open = new Map<Socket, number>();
  /** Connections without requests, those idle the longest first. */
  const idle = new Set<Socket>();

  server.server.on('connection', (socket: Socket) => {
    if (open.size >= max) {
      const [oldest] = idle;
      forget(oldest ?? socket).destroy();
      if (!oldest) return;
    }
    open.set(socket, 0);
    idle.add(socket);
    socket.on('close', () => forget(socket));
  });
  server.addHook('onRequest', (request, reply, done) => {
    const socket = socketOf(request.raw);
    if (!socket) return done(); // the client has gone, so no one would read an answer
    open.set(socket, (open.get(socket) ?? 0) + 1);
    idle.delete(socket);
    reply.raw.on('close', () => endRequest(socket));
    // The route is read last, because Fastify builds `routeOptions` at each access.
    if (open.size - idle.size <= maxAnswered || healthPaths.has(request.routeOptions.url ?? ''))
      return done();
    reply.raw.shouldKeepAlive = false;
    done(new AppError('overloaded', 'More clients are connected than can be served. Try again shortly.'));
  });

  function endRequest(socket: Socket): void {
    const underWay = open.get(socket);
    if (underWay === undefined) return; // closed before its answer
    open.set(socket, underWay - 1);
    if (underWay === 1) idle.add(socket);
  }

  function forget(socket: Socket): Socket {
    open.delete(socket);
    idle.delete(socket);
    return socket;
  }
}

/** Half of this process's limit on open files. The other half is for the database, images, providers and webhooks. */
export function maxConnectionsHere(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const files = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
    return Math.min(mostConnections, Math.floor(files / 2));
  } catch {
    return mostConnections; // not Linux
  }
}
