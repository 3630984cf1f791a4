import type { FastifyInstance } from 'fastify';
import { DatabaseUnavailable } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { orAborted } from '../std/or-aborted.ts';

// A load balancer checks every few seconds, and waits about as long for an answer.
const patienceMs = 1_000;

export const healthPaths: ReadonlySet<string> = new Set(['/livez', '/readyz']);

const hidden = { schema: { hide: true } as object };

/**
 * Calls for load balancers and supervisors, without a key: `GET /livez` succeeds while the process runs, `GET
 * /readyz` while it can answer requests, so not without the database and not once it is about to stop. A
 * draining process accepts no connections, so neither call gets an answer.
 */
export function registerHealth(
  server: FastifyInstance,
  { askDatabase, isRetired }: { askDatabase: () => Promise<unknown>; isRetired: () => boolean },
): void {
  server.get('/livez', hidden, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'alive' }),
  );

  let pending: Promise<unknown> | undefined;
  // Concurrent checks share one query, so that they do not pile up on a database that hangs.
  const check = () =>
    (pending ??= askDatabase().finally(() => {
      pending = undefined;
    }));

  server.get('/readyz', hidden, async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    if (isRetired()) throw new AppError('shutting_down', 'This process is about to stop.');
    const tooLate = AbortSignal.timeout(patienceMs);
    await orAborted(check(), tooLate).catch((error: unknown) => {
      throw tooLate.aborted ? new DatabaseUnavailable('it did not answer in time') : error;
    });
    return { status: 'ready' };
  });
}
