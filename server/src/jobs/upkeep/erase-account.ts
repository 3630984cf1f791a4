import { type Account, findAccount, putErased } from '../../accounts/account-store.ts';
import { dayMs } from '../../accounts/retention/retention.ts';
import { type Actor, insertAuditEntry, insertAuditEntryIfNew } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import type { Tx } from '../../base/db/schema.ts';
import { AppError } from '../../errors.ts';
import type { ImageStore } from '../../images/image-store.ts';
import { insertRemovals } from '../../images/removals/removal-store.ts';
import { removeAll } from '../../images/remove-all.ts';
import { lockBalances } from '../../money/ledger/ledger-store.ts';
import { rollUpAccount } from '../activity/roll-up.ts';
import { resume } from '../admission/pause-store.ts';
import { deleteRefusalsOf } from '../admission/refusals/refusal-store.ts';
import { deleteOldFiles } from '../batch-files/batch-file-store.ts';
import { type CancelDeps, cancelJob } from '../cancel/cancel-job.ts';
import { deleteReportsOf } from '../reports/report-store.ts';
import {
  deleteDeliveriesOfAccount,
  deleteUploadsOf,
  eraseAudit,
  eraseMembers,
  eraseSettings,
  listBeingErased,
  listOpenJobs,
  noteErasing,
  renameErased,
} from './erase-store.ts';
import { dropOldKeys, dropOldNotices } from './keep-retention.ts';
import { noteErased, overwriteErased } from './overwrite-erased.ts';
import { deleteEndedJobs, objectsOf } from './purge-store.ts';
import { createSteps, type Step } from './small-steps.ts';

/** A negative retention, which every job exceeds even if clocks differ. */
const ofAnyAge = -2 * dayMs;

export interface EraseDeps extends CancelDeps {
  database: Database;
  images: ImageStore;
  /** Whether the image store belongs to this installation. If not, images stay and are recorded for removal. */
  mayRemove(): Promise<boolean>;
}

/**
 * Erases the account's identity and everything created in it, except the ledger, which stays under a pseudonym. An
 * interrupted erasure can be repeated, because the name is erased last.
 * @throws AppError `not_found`; `invalid_request` unless `name` is the account's
 */
export async function eraseAccount(
  deps: EraseDeps,
  { account: idOrName, name }: { account: string; name: string },
  by: Actor,
): Promise<{ accountId: string; jobs: number; objects: number }> {
  const { database } = deps;
  const account = await findAccount(database.read, idOrName);
  if (!account) throw new AppError('not_found', `There is no account "${idOrName}".`);
  if (account.name !== name) throw new AppError('invalid_request', howToConfirm(account));
  const { id: accountId } = account;
  await database.transaction(async (tx) => {
    await beginErasure(tx, { accountId, reason: 'It is being erased.' }, by);
    await noteErasing(tx, accountId);
  });
  const erased = await finishErasure(deps, accountId, by);
  await overwriteErased(database);
  return { accountId, ...erased };
}

/** Disables the account for good. `finishErasure` must be called later. */
export async function beginErasure(
  tx: Tx,
  { accountId, reason }: { accountId: string; reason: string },
  by: Actor,
): Promise<void> {
  await putErased(tx, accountId, reason);
  const entry = { action: 'account.erasure_begun' as const, accountId, subject: accountId, detail: {} };
  await insertAuditEntryIfNew(tx, by, entry);
  await eraseSettings(tx, accountId);
  await noteErased(tx);
}

/** Deletes the account's jobs, other content and identity. The caller must call `overwriteErased` afterwards. */
export async function finishErasure(
  deps: EraseDeps,
  accountId: string,
  by: Actor,
  stop: { signal?: AbortSignal } = {},
): Promise<{ jobs: number; objects: number }> {
  const { database } = deps;
  await cancelAll(deps, accountId, stop);
  const step = createSteps(database, stop);
  while ((await step((tx, limit) => deleteDeliveriesOfAccount(tx, accountId, limit))) > 0);
  const { jobs, objects } = await eraseJobs(deps, accountId, step);
  await dropOldKeys(step, { accountId, retentionMs: ofAnyAge });
  await dropOldNotices(step, { accountId, retentionMs: ofAnyAge });
  await database.transaction(async (tx) => {
    // The lock keeps other transactions from changing the members.
    await lockBalances(tx, [accountId]);
    // Maintenance may have finished the same erasure.
    if (!(await listBeingErased(tx)).includes(accountId)) return;
    await deleteRefusalsOf(tx, accountId);
    await resume(tx, accountId);
    await insertRemovals(tx, await deleteReportsOf(tx, accountId));
    await eraseMembers(tx, accountId);
    await eraseAudit(tx, accountId);
    await renameErased(tx, accountId);
    const detail = { jobs, objects };
    await insertAuditEntry(tx, by, {
      action: 'account.erased',
      accountId,
      subject: accountId,
      detail,
    });
    await noteErased(tx);
  });
  return { jobs, objects };
}

/** Says which name confirms an erasure. After a finished erasure, an operator may know only the old name. */
function howToConfirm({ name, erasedAt }: Account): string {
  const how = 'To confirm, give the exact name of the account';
  return erasedAt === null ? `${how}.` : `${how}. Its erasure has begun, and it is called "${name}" now.`;
}

/** Cancels all jobs, including those admitted just before the account was disabled. */
async function cancelAll(
  deps: EraseDeps,
  accountId: string,
  { signal }: { signal?: AbortSignal },
): Promise<void> {
  for (let open = await listOpenJobs(deps.database.read, accountId); open.length > 0; ) {
    for (const jobId of open) {
      signal?.throwIfAborted();
      await cancelJob(deps, { accountId, jobId }).catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error; // otherwise the job has just ended
      });
    }
    open = await listOpenJobs(deps.database.read, accountId);
  }
}

/** Deletes jobs, uploads and files. The same transactions record objects to remove, so that a crash loses none. */
async function eraseJobs(
  { images, mayRemove }: EraseDeps,
  accountId: string,
  step: Step,
): Promise<{ jobs: number; objects: number }> {
  const erased = { jobs: 0, objects: 0 };
  await rollUpAccount(accountId, step);
  const removes = await mayRemove();
  const of = { accountId, retentionMs: ofAnyAge, stars: 0, withKeys: true };
  let keys: string[] = [];
  const eraseSome = async (tx: Tx, limit: number) => {
    const jobs = await deleteEndedJobs(tx, { ...of, limit });
    const uploads = await deleteUploadsOf(tx, accountId, limit);
    const files = await deleteOldFiles(tx, { accountId, retentionMs: ofAnyAge, limit });
    keys = [...uploads, ...files, ...objectsOf(jobs)];
    await insertRemovals(tx, keys);
    erased.jobs += jobs.length;
    return jobs.length + uploads.length + files.length;
  };
  const removeThese = async () => {
    if (removes) await removeAll(images, keys);
  };
  while ((await step(eraseSome, removeThese)) > 0) erased.objects += keys.length;
  return erased;
}
