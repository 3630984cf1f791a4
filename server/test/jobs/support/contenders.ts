import { commandLine } from '../../../src/base/audit/audit-store.ts';
import type { Database } from '../../../src/base/db/database.ts';
import { newId } from '../../../src/base/std/ids.ts';
import { createAdmission } from '../../../src/jobs/admission/admission.ts';
import type { Admission } from '../../../src/jobs/admission/decide-admissions.ts';
import type { Admittee } from '../../../src/jobs/admission/write-admissions.ts';
import { createEndWriter } from '../../../src/jobs/queue/end-writer.ts';
import { changeLimits } from '../../../src/money/limits/change-limits.ts';
import {
  type LimitChanges,
  type LimitDefaults,
  noDefaults,
  type Subject,
} from '../../../src/money/limits/limit.ts';
import { plainJob } from '../../world/plain-job.ts';
import type { World } from '../../world/world.ts';

export const priceMicros = 40_000n;

export function openContenders(world: World) {
  const { database } = world.app;

  async function account(name: string, jobs = 10n): Promise<string> {
    return (await world.account(name, { creditMicros: jobs * priceMicros })).accountId;
  }

  function admit(
    accountId: string,
    {
      key,
      on = database,
      defaults = noDefaults,
      ...made
    }: { key?: string; keyId?: string; model?: string; on?: Database; defaults?: LimitDefaults } = {},
  ): Promise<Admission> {
    const idempotency = key === undefined ? null : { key, fingerprint: 'same', holder: null };
    return createAdmission(on, () => {}, defaults)(admitteeOf(accountId, { idempotency, ...made }));
  }

  function limit(
    accountId: string,
    changes: LimitChanges,
    { keyId, defaults = noDefaults }: { keyId?: string; defaults?: LimitDefaults } = {},
  ): Promise<void> {
    const subject: Subject = keyId ? { kind: 'key', id: keyId } : { kind: 'account', id: accountId };
    return database.transaction((tx) =>
      changeLimits(tx, { accountId, subject, changes, defaults }, commandLine),
    );
  }

  function end(
    rows: readonly { id: string; attempt: number; worker: string | null }[],
    on: Database = database,
  ): Promise<boolean[]> {
    const write = createEndWriter(on, () => {});
    const outcome = { status: 'failed', error: 'No.', errorCode: 'cancelled' } as const;
    return Promise.all(
      rows.map(({ id: jobId, attempt, worker }) =>
        write({ kind: 'settle', settlement: { jobId, attempt, worker, outcome } }),
      ),
    );
  }

  async function settleAll(): Promise<void> {
    const rows = await database.read
      .selectFrom('jobs')
      .select(['id', 'attempt', 'worker'])
      .where('status', 'in', ['queued', 'processing'])
      .execute();
    await end(rows);
  }

  return { account, admit, limit, end, settleAll };
}

export function admitteeOf(
  accountId: string,
  {
    idempotency = null,
    keyId = accountId,
    model = 'nb2',
  }: { idempotency?: Admittee['idempotency']; keyId?: string; model?: string } = {},
): Admittee {
  const asker = { accountId, keyId, clientTokenId: null, requestId: null };
  const job = { ...plainJob, id: newId(Date.now()), model, priceMicros };
  return { asker, jobs: [job], inputBytes: 0, unserved: null, idempotency };
}

export function jobIdsOf(admission: Admission): readonly string[] {
  return 'jobIds' in admission ? admission.jobIds : [];
}
