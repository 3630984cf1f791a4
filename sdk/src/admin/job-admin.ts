import type { CallOptions } from '../account-calls.ts';
import type { Paged } from '../pages.ts';
import { jobPath } from '../paths.ts';
import type { Batch, BatchQuery, Job, JobTags, TagChange, TagCount } from '../types.ts';
import type { AccountJob, AccountJobWithAttempts, AdminJobQuery } from './account-types.ts';
import { AdminSender, accountPath } from './admin-sender.ts';

/** The calls about jobs of all accounts, and about batches of one account. */
export abstract class JobAdmin extends AdminSender {
  /** Lists the jobs of all accounts, newest first. */
  listJobs(query: AdminJobQuery = {}, options: CallOptions = {}): Paged<AccountJob> {
    return this.pages<AccountJob>('/jobs', query, options);
  }

  getJob(jobId: string, options: CallOptions = {}): Promise<AccountJobWithAttempts> {
    return this.send<AccountJobWithAttempts>('GET', jobPath(jobId), options);
  }

  cancelJob(jobId: string, options: CallOptions = {}): Promise<Job> {
    return this.send<Job>('POST', `${jobPath(jobId)}/cancel`, options);
  }

  /** Deletes an image with its renditions, prompt and inputs; the job stays. */
  async deleteImage(jobId: string, options: CallOptions = {}): Promise<void> {
    await this.send('DELETE', `${jobPath(jobId)}/image`, options);
  }

  listTags(account: string, options: CallOptions = {}): Promise<TagCount[]> {
    return this.list<TagCount>('GET', `${accountPath(account)}/tags`, options);
  }

  /** Changes the tags of up to 100 jobs of the account, all or none. */
  async changeTags(
    account: string,
    change: TagChange & { job_ids: string[] },
    options: CallOptions = {},
  ): Promise<JobTags[]> {
    const path = `${accountPath(account)}/jobs/tags`;
    return (await this.send<{ data: JobTags[] }>('POST', path, options, change)).data;
  }

  getJobTags(jobId: string, options: CallOptions = {}): Promise<JobTags> {
    return this.send<JobTags>('GET', `${jobPath(jobId)}/tags`, options);
  }

  addTag(jobId: string, tag: string, options: CallOptions = {}): Promise<JobTags> {
    return this.send<JobTags>('PUT', tagPath(jobId, tag), options);
  }

  removeTag(jobId: string, tag: string, options: CallOptions = {}): Promise<JobTags> {
    return this.send<JobTags>('DELETE', tagPath(jobId, tag), options);
  }

  starJob(jobId: string, options: CallOptions = {}): Promise<JobTags> {
    return this.send<JobTags>('PUT', `${jobPath(jobId)}/star`, options);
  }

  unstarJob(jobId: string, options: CallOptions = {}): Promise<JobTags> {
    return this.send<JobTags>('DELETE', `${jobPath(jobId)}/star`, options);
  }

  /** Lists batches, newest first. */
  listBatches(account: string, query: BatchQuery = {}, options: CallOptions = {}): Paged<Batch> {
    return this.pages<Batch>(`${accountPath(account)}/batches`, query, options);
  }

  getBatch(account: string, batchId: string, options: CallOptions = {}): Promise<Batch> {
    return this.send<Batch>('GET', batchPath(account, batchId), options);
  }

  /** Cancels the unfinished jobs of a batch. Finished jobs stay. */
  cancelBatch(account: string, batchId: string, options: CallOptions = {}): Promise<Batch> {
    return this.send<Batch>('POST', `${batchPath(account, batchId)}/cancel`, options);
  }
}

const tagPath = (jobId: string, tag: string) => `${jobPath(jobId)}/tags/${encodeURIComponent(tag)}`;

const batchPath = (account: string, batchId: string) =>
  `${accountPath(account)}/batches/${encodeURIComponent(batchId)}`;
