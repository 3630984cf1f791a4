import { actorOf, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import { readNow } from '../../base/db/rows.ts';
import { newId } from '../../base/std/ids.ts';
import { AppError } from '../../errors.ts';
import { readBalances } from '../../money/ledger/ledger-store.ts';
import { countOpenReports, insertReport, isOpenAlready, type NewReport } from './report-store.ts';

export const maxReasonLength = 2_000;
export const maxContactLength = 200;
/** The maximum number of open reports per job. More would not help: one makes an operator check the image. */
const mostOfJob = 10;
/**
 * The maximum number of open reports per account. It is only a tenth of all, so that members who report their own
 * images cannot fill the inbox.
 */
const mostOfAccount = 100;
/** The maximum number of open reports. Operators cannot read more, and thousands from many addresses are a flood. */
const mostOpen = 1_000;
/** Distinguishes a full inbox from too many requests from one IP address. */
export const inboxFull = 'inbox_full';
const fullRetrySeconds = 3_600;
/** The audit log omits the reporter's IP address, because entries outlive reports and are in the account's export. */
const visitor = actorOf('visitor');

/** Adds a new report. Takes no lock, so that a flood delays no creates. @throws AppError `too_many_requests` */
export async function makeReport(database: Database, report: Omit<NewReport, 'id'>): Promise<void> {
  const { accountId, jobId } = report;
  await database.transaction(async (tx) => {
    const [account] = await readBalances(tx, [accountId]);
    if (account?.isErased !== false || (await isOpenAlready(tx, report))) return;
    const { ofJob, ofAccount, all } = await countOpenReports(tx, { jobId, accountId, most: mostOpen });
    if (ofJob >= mostOfJob || ofAccount >= mostOfAccount) return;
    if (all >= mostOpen) {
      const detail = 'Many reports wait to be looked at. Send yours later.';
      throw new AppError('too_many_requests', detail, {
        errors: [{ pointer: '', detail, code: inboxFull }],
        retryAfterSeconds: fullRetrySeconds,
      });
    }
    const id = newId(await readNow(tx));
    await insertReport(tx, { ...report, id });
    const detail = { job: jobId };
    await insertAuditEntry(tx, visitor, { action: 'report.made', accountId, subject: id, detail });
  });
}
