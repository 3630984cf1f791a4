import { subscribe } from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';

// Loaded into a server before its own code: for bodies of one type, a call blocks the event loop, and does nothing else
// wrong.

const seldom = 'application/xml';
/** Processor time of the thread, as in the measurement: longer than the test allows. */
const busyMicros = 400_000;

subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: FastifyInstance }; // as Fastify documents it
  fastify.addHook('preParsing', async ({ headers, routeOptions }) => {
    if (routeOptions.url !== '/api/v1/webhooks/:endpoint_id/test' || headers['content-type'] !== seldom)
      return;
    for (const { user } = process.threadCpuUsage(); process.threadCpuUsage().user - user < busyMicros; );
  });
});
