import { actorOf, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import { readNow } from '../../base/db/rows.ts';
import { newId } from '../../base/std/ids.ts';
import { AppError } from '../../errors.ts';
import { readBalances } from '../../money/ledger/ledger-store.ts';
import { countOpenReports, insertReport, isOpenAlready, type NewReport } from './report-store.ts';

export const maxReasonLength = 2_000;
export const maxContactLength = 200;
/** The most open reports of a job: one is enough for an operator to look. */
const mostOfJob = 10;
/** A member can report images of the own account, so no account may fill more than a tenth of the inbox. */
const mostOfAccount = 100;
/** More than operators look through; from thousands of addresses it is a flood. */
const mostOpen = 1_000;
/** Distinguishes a full inbox from too many requests of one address. */
export const inboxFull = 'inbox_full';
const fullRetrySeconds = 3_600;
/** The address of the reporter stays in the report: the audit log outlives it, and is part of the reported account's archive. */
const visitor = actorOf('visitor');

/**
 * Puts a report into the operators' inbox. Skips a report that is there already, such as after a double click, one
 * about an image or account with many open reports, and one about an erased account. Takes no lock: a flood of reports
 * must not delay the account's creates.
 *
 * @throws AppError `too_many_requests`
 */
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
