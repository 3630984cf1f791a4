import type { FastifyInstance } from 'fastify';
import { DatabaseUnavailable } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { orAborted } from '../std/or-aborted.ts';

// A load balancer asks every few seconds, and waits about as long as that for an answer.
const patienceMs = 1_000;

export const healthPaths: ReadonlySet<string> = new Set(['/livez', '/readyz']);

const hidden = { schema: { hide: true } as object };

/**
 * For load balancers and supervisors, without a key: `GET /livez` while the process runs, `GET /readyz` while it can
 * answer requests: not while the database is away, nor once it is about to stop. A process that drains takes no connection
 * and answers neither.
 */
export function registerHealth(
  server: FastifyInstance,
  { askDatabase, isRetired }: { askDatabase: () => Promise<unknown>; isRetired: () => boolean },
): void {
  server.get('/livez', hidden, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'alive' }),
  );

  let asked: Promise<unknown> | undefined;
  // One question for all who ask meanwhile: a database that hangs must not be asked again and again.
  const ask = () =>
    (asked ??= askDatabase().finally(() => {
      asked = undefined;
    }));

  server.get('/readyz', hidden, async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    if (isRetired()) throw new AppError('shutting_down', 'This process is about to stop.');
    const tooLate = AbortSignal.timeout(patienceMs);
    await orAborted(ask(), tooLate).catch((error: unknown) => {
      throw tooLate.aborted ? new DatabaseUnavailable('it did not answer in time') : error;
    });
    return { status: 'ready' };
  });
}
