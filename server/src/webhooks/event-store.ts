import { sql } from 'kysely';
import { nowMs, rowsOf } from '../db/rows.ts';
import type { Tx } from '../db/schema.ts';

/** The end of a job, as far as webhooks care. */
export interface JobEnd {
  jobId: string;
  accountId: string;
  status: 'done' | 'failed';
  callbackUrl: string | null;
}

/** Writes one event for every job that ended, in the transaction that ended it. */
export async function recordEvents(tx: Tx, ends: readonly JobEnd[]): Promise<void> {
  if (ends.length === 0) return;
  const incoming = rowsOf(
    tx,
    { id: 'text', account_id: 'uuid', job_id: 'uuid', type: 'text' },
    ends.map(({ jobId, accountId, status }) => ({
      id: `evt_${jobId.replaceAll('-', '')}`,
      account_id: accountId,
      job_id: jobId,
      type: `job.${status}`,
    })),
  );
  await sql`insert into events (id, account_id, job_id, type, created_at)
    select id, account_id, job_id, type, ${nowMs} from ${incoming} as incoming`.execute(tx);
}
