import type { FastifyInstance } from 'fastify';
import { AppError } from '../../errors.ts';
import { DatabaseUnavailable, ProcessLate } from '../db/database.ts';
import { patiently } from '../std/lateness/patiently.ts';
import { hidden } from './schemas.ts';

// How long a check waits for the database and the disk. Load balancers check every few seconds and wait about as long.
const patienceMs = 1_000;
const fullDisk = "This server's disk is full, so it accepts no jobs. Existing jobs can be read.";

export const healthPaths: ReadonlySet<string> = new Set(['/livez', '/readyz']);

/**
 * `GET /livez` succeeds while the process runs, and `GET /readyz` while it can accept jobs. The process cannot accept
 * jobs without the database, on a full disk, shortly before a stop, or while it is too busy to read the database's
 * answer.
 */
export function registerHealth(
  server: FastifyInstance,
  {
    askDatabase,
    isDiskFull,
    isRetired,
  }: {
    askDatabase: () => Promise<unknown>;
    isDiskFull: () => Promise<boolean>;
    isRetired: () => boolean;
  },
): void {
  server.get('/livez', hidden, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'alive' }),
  );

  let pending: Promise<{ isFull: boolean }> | undefined;
  // Concurrent checks share one query, so that queries do not pile up when the database hangs.
  const check = () =>
    (pending ??= look().finally(() => {
      pending = undefined;
    }));
  const look = async () => {
    const [isFull] = await Promise.all([isDiskFull(), askDatabase()]);
    return { isFull };
  };

  server.get('/readyz', hidden, async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    if (isRetired()) throw new AppError('shutting_down', 'This process is about to stop.');
    const answered = await patiently(check(), patienceMs);
    if (answered === 'not in time') throw new DatabaseUnavailable('it did not answer in time');
    if (answered === 'own delay') throw new ProcessLate('this process had no time to read the answer');
    if (answered.isFull) throw new AppError('overloaded', fullDisk);
    return { status: 'ready' };
  });
}
