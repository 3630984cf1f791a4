import { insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import { readNow } from '../../base/db/rows.ts';
import { newId } from '../../base/std/ids.ts';
import { AppError } from '../../errors.ts';
import { countOpenReports, insertReport, type NewReport } from './report-store.ts';

export const maxReasonLength = 2_000;
export const maxContactLength = 200;
/** One is enough to look at it. */
const mostOfJob = 10;
/** More than operators look through; from thousands of addresses it is a flood. */
const mostOpen = 1_000;
const fullRetrySeconds = 3_600;

/** Puts a report into the inbox of the operators; of an image that was reported often already, nothing. @throws AppError `too_many_requests` */
export async function makeReport(database: Database, report: Omit<NewReport, 'id'>): Promise<void> {
  const { accountId, jobId, address } = report;
  await database.transaction(async (tx) => {
    const { ofJob, all } = await countOpenReports(tx, { jobId, most: mostOpen });
    if (ofJob >= mostOfJob) return;
    if (all >= mostOpen)
      throw new AppError('too_many_requests', 'Many reports wait to be looked at. Send yours later.', {
        retryAfterSeconds: fullRetrySeconds,
      });
    const id = newId(await readNow(tx));
    await insertReport(tx, { ...report, id });
    const visitor = { personId: null, name: 'a visitor', address };
    await insertAuditEntry(tx, visitor, {
      action: 'report.made',
      ...{ accountId, subject: id, detail: { job: jobId } },
    });
  });
}
