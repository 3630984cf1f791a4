import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Queries } from '../../base/db/schema.ts';
import { isUuid } from '../../base/std/ids.ts';
import { AppError } from '../../errors.ts';
import { StoreError } from '../../images/image-store.ts';
import { evidenceKey } from '../../images/object-keys.ts';
import { streamStored } from '../../images/read-stored.ts';
import { type DeleteImagesDeps, deleteImages } from '../delete-images.ts';
import { findJobs } from '../job-store.ts';
import { type Evidence, findReport, type Report, takeDownIfUp } from './report-store.ts';

/**
 * Takes a reported image down, but keeps a copy until the report is resolved. A repeated call finishes the first.
 * @throws AppError `not_found`, `invalid_request` for a resolved report, `storage_unavailable`
 */
export async function takeDown(deps: DeleteImagesDeps, reportId: string, by: Actor): Promise<void> {
  const { database } = deps;
  const report = await readReport(database.read, reportId);
  const { id, accountId, jobId } = report;
  assertOpen(report);
  if (report.takenDownAt === null) {
    const evidence = await keepEvidence(deps, report).catch(rethrow);
    await database.transaction(async (tx) => {
      // The result is false if another operator took the image down or resolved the report first.
      if (!(await takeDownIfUp(tx, id, evidence))) return assertOpen(await readReport(tx, id));
      const detail = { job: jobId };
      await insertAuditEntry(tx, by, { action: 'report.taken_down', accountId, subject: id, detail });
    });
  }
  await deleteImages(deps, { accountId, jobIds: [jobId], by });
}

function assertOpen({ resolvedAt }: Report): void {
  if (resolvedAt !== null) throw new AppError('invalid_request', 'This report is resolved.');
}

/** Stores the copy; null if the owner has already deleted the image. */
async function keepEvidence(
  { database, images }: DeleteImagesDeps,
  { id, jobId }: Report,
): Promise<Evidence | null> {
  const [job] = await findJobs(database.read, [jobId]);
  const stored = job?.image && (await images.get(job.image.key));
  if (!job?.image || !stored) return null;
  const { prompt, model, createdAt: madeAt } = job;
  const image = { ...job.image, key: evidenceKey(id, job.image.mediaType) };
  const body = streamStored(job.image.key, stored.body);
  await images.put(image.key, body, { mediaType: image.mediaType, bytes: stored.bytes });
  return { image, prompt, model, madeAt };
}

/** An image must not be taken down without a copy, because the operator may need it and nothing restores the image. */
function rethrow(cause: unknown): never {
  if (!(cause instanceof StoreError)) throw cause;
  const detail =
    'The copy could not be stored, so the image is still there. Free space in the image store and send the request again, or delete the job’s image without a copy.';
  throw new AppError('storage_unavailable', detail, {}, { cause });
}

/** @throws AppError `not_found` */
export async function readReport(queries: Queries, id: string): Promise<Report> {
  const report = isUuid(id) ? await findReport(queries, id) : undefined;
  if (!report) throw new AppError('not_found', 'There is no such report.');
  return report;
}
