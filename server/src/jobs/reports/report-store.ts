import { sql } from 'kysely';
import { isAnyOf, isPostgres, nowMs } from '../../base/db/rows.ts';
import type { Queries, ReportsTable, Tx } from '../../base/db/schema.ts';
import type { ResultImage } from '../job.ts';

export interface Report {
  id: string;
  accountId: string;
  accountName: string;
  jobId: string;
  reason: string;
  contact: string | null;
  address: string;
  createdAt: number;
  takenDownAt: number | null;
  /** Null before the image is taken down, and once the report is resolved. */
  evidence: Evidence | null;
  resolvedAt: number | null;
  resolvedBy: string | null;
}

export interface Evidence {
  image: ResultImage;
  prompt: string;
  model: string;
  madeAt: number;
}

export async function insertReport(
  tx: Tx,
  { id, accountId, jobId, reason, contact, address }: NewReport,
): Promise<void> {
  await sql`insert into reports (id, account_id, job_id, reason, contact, address, created_at)
    values (${id}, ${accountId}, ${jobId}, ${reason}, ${contact}, ${address}, ${nowMs})`.execute(tx);
}

export type NewReport = Pick<Report, 'id' | 'accountId' | 'jobId' | 'reason' | 'contact' | 'address'>;

/** Whether an open report from this IP address has the same reason for this image. */
export async function isOpenAlready(
  tx: Tx,
  { jobId, address, reason, contact }: Omit<NewReport, 'id'>,
): Promise<boolean> {
  const found = await tx
    .selectFrom('reports')
    .select('id')
    .where('job_id', '=', jobId)
    .where('resolved_at', 'is', null)
    .where('address', '=', address)
    .where('reason', '=', reason)
    .where('contact', contact === null ? 'is' : '=', contact)
    .executeTakeFirst();
  return found !== undefined;
}

/** Counts the open reports about the job, about its account and in total, each up to `most`. */
export async function countOpenReports(
  tx: Tx,
  { jobId, accountId, most }: { jobId: string; accountId: string; most: number },
): Promise<{ ofJob: number; ofAccount: number; all: number }> {
  const open = tx.selectFrom('reports').select('id').where('resolved_at', 'is', null).limit(most);
  const [ofJob, ofAccount, all] = await Promise.all([
    open.where('job_id', '=', jobId).execute(),
    open.where('account_id', '=', accountId).execute(),
    open.execute(),
  ]);
  return { ofJob: ofJob.length, ofAccount: ofAccount.length, all: all.length };
}

export async function findReport(queries: Queries, id: string): Promise<Report | undefined> {
  const row = await reportsOf(queries).where('reports.id', '=', id).executeTakeFirst();
  return row && toReport(row);
}

/** Locks a report until the transaction ends. */
export async function lockReport(tx: Tx, id: string): Promise<Report | undefined> {
  const row = await reportsOf(tx)
    .where('reports.id', '=', id)
    .$if(isPostgres(tx), (query) => query.forUpdate('reports'))
    .executeTakeFirst();
  return row && toReport(row);
}

export async function listReports(
  queries: Queries,
  { isOpen, before, limit }: { isOpen: boolean; before: string | undefined; limit: number },
): Promise<Report[]> {
  const rows = await reportsOf(queries)
    .where('resolved_at', isOpen ? 'is' : 'is not', null)
    .$if(before !== undefined, (query) => query.where('reports.id', '<', before ?? ''))
    .orderBy('reports.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(toReport);
}

function reportsOf(queries: Queries) {
  return queries
    .selectFrom('reports')
    .innerJoin('accounts', 'accounts.id', 'reports.account_id')
    .selectAll('reports')
    .select('accounts.name as account_name');
}

/** Returns false if the image was already down. */
export async function takeDownIfUp(tx: Tx, id: string, evidence: Evidence | null): Promise<boolean> {
  const result = await tx
    .updateTable('reports')
    .set({
      taken_down_at: nowMs,
      evidence_key: evidence?.image.key ?? null,
      evidence: evidence && JSON.stringify(evidence),
    })
    .where('id', '=', id)
    .where('taken_down_at', 'is', null)
    .where('resolved_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Returns false if the report was resolved before. Drops its evidence. */
export async function resolveIfOpen(tx: Tx, id: string, by: string): Promise<boolean> {
  const result = await tx
    .updateTable('reports')
    .set({ resolved_at: nowMs, resolved_by: by, evidence_key: null, evidence: null })
    .where('id', '=', id)
    .where('resolved_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Returns the keys of the reports' evidence. */
export async function deleteReportsOf(tx: Tx, accountId: string): Promise<string[]> {
  const { rows } = await sql<{ key: string | null }>`delete from reports where account_id = ${accountId}
    returning evidence_key as key`.execute(tx);
  return rows.flatMap(({ key }) => key ?? []);
}

export async function deleteOldReports(tx: Tx, olderThanMs: number): Promise<void> {
  await sql`delete from reports where resolved_at < ${nowMs} - ${sql.lit(olderThanMs)}`.execute(tx);
}

export async function findEvidenced(queries: Queries, ids: readonly string[]): Promise<Set<string>> {
  const rows = await queries
    .selectFrom('reports')
    .select('id')
    .where(isAnyOf(queries, 'id', ids, 'uuid'))
    .where('evidence_key', 'is not', null)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

function toReport(row: ReportsTable & { account_name: string }): Report {
  return {
    id: row.id,
    accountId: row.account_id,
    accountName: row.account_name,
    jobId: row.job_id,
    reason: row.reason,
    contact: row.contact,
    address: row.address,
    createdAt: row.created_at,
    takenDownAt: row.taken_down_at,
    evidence: row.evidence === null ? null : (JSON.parse(row.evidence) as Evidence), // written by `takeDownIfUp`
    resolvedAt: row.resolved_at,
    resolvedBy: row.resolved_by,
  };
}
