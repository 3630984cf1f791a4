import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import { type DeleteImagesDeps, removeNow } from '../delete-images.ts';
import { insertRemovals } from '../removal-store.ts';
import { resolveIfOpen } from './report-store.ts';
import { readReport } from './take-down.ts';

/** Resolves a report. The image stays up or down, but its evidence is deleted. @throws AppError `not_found` */
export async function resolveReport(deps: DeleteImagesDeps, reportId: string, by: Actor): Promise<void> {
  const { database } = deps;
  const { id, accountId, jobId, evidence, takenDownAt } = await readReport(database.read, reportId);
  const keys = evidence ? [evidence.image.key] : [];
  const isResolved = await database.transaction(async (tx) => {
    if (!(await resolveIfOpen(tx, id, by.name))) return false;
    await insertRemovals(tx, keys);
    const detail = { job: jobId, taken_down: takenDownAt !== null };
    await insertAuditEntry(tx, by, { action: 'report.resolved', accountId, subject: id, detail });
    return true;
  });
  if (isResolved) await removeNow(deps, keys);
}
