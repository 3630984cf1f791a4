import { createAdmission } from '../../../src/admission/admit-jobs.ts';
import { settleIfUnchanged } from '../../../src/jobs/settle-jobs.ts';
import { newId } from '../../../src/std/ids.ts';
import type { World } from '../../world/world.ts';

// A transaction of this many is short enough for whatever runs beside it.
const chunk = 1_000;

/** Jobs of `nb` that end together, as when a worker comes back from the dead. */
export async function endJobs({ app, accountId }: World, count: number): Promise<void> {
  const { database } = app;
  const ids = Array.from({ length: count }, () => newId(Date.now()));
  const job = {
    accountId,
    keyId: accountId,
    requestId: null,
    model: 'nb',
    mode: 'text',
    prompt: 'a fox',
    clientTokenId: null,
    metadata: null,
    deadlineAt: null,
    origin: null,
    resolution: '1K',
    requestedRatio: '1:1',
    aspectRatio: '1:1',
    priceMicros: 1n,
    callbackUrl: null,
    modelVersion: null,
    parameters: {},
  } as const;
  const admit = createAdmission(database, () => {});
  const outcome = { status: 'failed', error: 'The job was cancelled.', errorCode: 'cancelled' } as const;
  for (let from = 0; from < count; from += chunk) {
    const some = ids.slice(from, from + chunk);
    await Promise.all(
      some.map((id) =>
        admit({ asker: job, jobs: [{ ...job, id, inputs: [] }], inputBytes: 0, idempotency: null }),
      ),
    );
    await database.transaction((tx) =>
      settleIfUnchanged(
        tx,
        some.map((jobId) => ({ jobId, attempt: 0, worker: null, outcome })),
      ),
    );
  }
}
