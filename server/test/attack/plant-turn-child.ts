import { subscribe } from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';

// Loaded into a server before its own code. A call blocks the event loop for bodies of one type.

const seldom = 'application/xml';
/** Processor time of the thread, which the attack measures too: longer than the test allows. */
const busyMicros = 400_000;

subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: FastifyInstance }; // the documented message
  fastify.addHook('preParsing', async ({ headers, routeOptions }) => {
    if (routeOptions.url !== '/api/v1/webhooks/:endpoint_id/test' || headers['content-type'] !== seldom)
      return;
    for (const { user } = process.threadCpuUsage(); process.threadCpuUsage().user - user < busyMicros; );
  });
});
