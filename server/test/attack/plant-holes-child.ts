import { subscribe } from 'node:diagnostics_channel';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';

// Loaded into a server before its own code: plants one hole of each kind that the attack must find.

/** A content type that few request bodies have. */
const seldom = 'application/xml';
const folder = process.env.DARKROOM_DATA_DIR ?? '';

const holes: Record<string, (route: RouteOptions) => void> = {
  'GET /panel/accounts/:account_id/overview': (route) => {
    route.onRequest = async () => {};
    route.handler = async () => ({}); // our handler would check the caller
  },
  'PUT /admin/v1/pauses/:scope': (route) =>
    first(route, () => {
      using database = new DatabaseSync(join(folder, 'darkroom.db'));
      database
        .prepare('insert into settings (name, value) values (?, ?)')
        .run(`planted ${Math.random()}`, '1');
    }),
  'GET /api/v1/jobs/:job_id': (route) =>
    before(route, ({ params }, reply) => {
      using database = new DatabaseSync(join(folder, 'darkroom.db'), { readOnly: true });
      const { job_id } = params as { job_id: string }; // the path has this parameter
      const job = database.prepare('select id from jobs where id = ?').get(job_id);
      if (job) reply.header('x-planted', 'yes');
    }),
  'POST /api/v1/webhooks/:endpoint_id/test': (route) =>
    before(route, ({ headers }) => {
      if (headers['content-type'] !== seldom) return;
      setImmediate(() => {
        throw new Error('planted');
      });
    }),
};

/** Runs before any refusal. */
function first(route: RouteOptions, act: () => void): void {
  const { onRequest } = route;
  route.onRequest = [async () => act(), ...[onRequest ?? []].flat()] as NonNullable<
    RouteOptions['onRequest']
  >; // the types do not know that some hooks have callbacks
}

/** Runs after the caller has been admitted. */
function before(route: RouteOptions, act: (request: FastifyRequest, reply: FastifyReply) => void): void {
  route.preParsing = (request, reply, payload, done) => {
    act(request, reply);
    done(null, payload);
  };
}

subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: FastifyInstance }; // the documented message
  fastify.addHook('onRoute', (route) => holes[`${route.method} ${route.url}`]?.(route));
  fastify.get('/panel/forgotten', async () => ({}));
});
