import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import { insertRemovals } from '../../images/removals/removal-store.ts';
import { type DeleteImagesDeps, removeNow } from '../delete-images.ts';
import { lockReport, resolveIfOpen } from './report-store.ts';
import { readReport } from './take-down.ts';

/** Resolves a report. The image stays up or down, but its evidence is deleted. @throws AppError `not_found` */
export async function resolveReport(deps: DeleteImagesDeps, reportId: string, by: Actor): Promise<void> {
  const { database } = deps;
  const { id } = await readReport(database.read, reportId);
  const keys = await database.transaction(async (tx) => {
    // The lock keeps another operator from taking the image down between the read and the write.
    const report = await lockReport(tx, id);
    if (!report || !(await resolveIfOpen(tx, id, by.name))) return [];
    const { accountId, jobId, evidence, takenDownAt } = report;
    const keys = evidence ? [evidence.image.key] : [];
    await insertRemovals(tx, keys);
    const detail = { job: jobId, taken_down: takenDownAt !== null };
    await insertAuditEntry(tx, by, { action: 'report.resolved', accountId, subject: id, detail });
    return keys;
  });
  await removeNow(deps, keys);
}
