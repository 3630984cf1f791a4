import type { Batch, BatchQuery } from '../batch-types.ts';
import type { CallOptions } from '../darkroom.ts';
import { withQuery } from '../paths.ts';
import type { Page } from '../types.ts';
import type { AccountJob, AdminJobQuery } from './account-types.ts';
import { AdminSender, accountPath } from './admin-sender.ts';

/** Jobs of all accounts, and the batches of each. */
export abstract class JobAdmin extends AdminSender {
  /** Of all accounts, the newest first. */
  listJobs(query: AdminJobQuery = {}, options: CallOptions = {}): Promise<Page<AccountJob>> {
    return this.send<Page<AccountJob>>('GET', withQuery('/jobs', query), options);
  }

  getJob(jobId: string, options: CallOptions = {}): Promise<AccountJob> {
    return this.send<AccountJob>('GET', `/jobs/${encodeURIComponent(jobId)}`, options);
  }

  cancelJob(jobId: string, options: CallOptions = {}): Promise<AccountJob> {
    return this.send<AccountJob>('POST', `/jobs/${encodeURIComponent(jobId)}/cancel`, options);
  }

  /** With its smaller sizes, prompt and inputs; the job stays. */
  deleteImage(jobId: string, options: CallOptions = {}): Promise<AccountJob> {
    return this.send<AccountJob>('DELETE', `/jobs/${encodeURIComponent(jobId)}/image`, options);
  }

  /** The newest first. */
  listBatches(account: string, query: BatchQuery = {}, options: CallOptions = {}): Promise<Page<Batch>> {
    const path = withQuery(`${accountPath(account)}/batches`, query);
    return this.send<Page<Batch>>('GET', path, options);
  }

  getBatch(account: string, batchId: string, options: CallOptions = {}): Promise<Batch> {
    return this.send<Batch>('GET', batchPath(account, batchId), options);
  }

  /** Its jobs that have not ended; what is done stays. */
  cancelBatch(account: string, batchId: string, options: CallOptions = {}): Promise<Batch> {
    return this.send<Batch>('POST', `${batchPath(account, batchId)}/cancel`, options);
  }
}

const batchPath = (account: string, batchId: string) =>
  `${accountPath(account)}/batches/${encodeURIComponent(batchId)}`;
