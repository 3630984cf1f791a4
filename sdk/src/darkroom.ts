import { AccountCalls, type CallOptions } from './account-calls.ts';
import type { PageQuery } from './admin/account-types.ts';
import { Batches } from './batches.ts';
import { changeTags } from './change-tags.ts';
import { again, create, quote, quoteAgain } from './create.ts';
import { DarkroomError, JobFailed } from './errors.ts';
import type { InputImage } from './local-image.ts';
import { lookAtJob } from './look-at-job.ts';
import { type Paged, pagedEvents } from './pages.ts';
import { jobPath, normalBaseUrl, withQuery } from './paths.ts';
import { readAnswer } from './read-answer.ts';
import { download, headersOf, send } from './send.ts';
import { sleep } from './sleep.ts';
import { openTransport, settingOf, type TransportOptions } from './transport.ts';
import type {
  AccountEvent,
  ClientToken,
  ClientTokenCreated,
  ClientTokenRequest,
  DoneJob,
  EventList,
  EventQuery,
  ImageWish,
  Job,
  JobCreated,
  JobQuery,
  JobRequest,
  JobTags,
  LocalRequest,
  ModelId,
  ModelInfo,
  ModelList,
  Quote,
  TagChange,
  TagCount,
  Upload,
} from './types.ts';
import { upload, uploadImages } from './upload-images.ts';
import { type WaitOptions, waitForJob } from './wait-for-job.ts';

export interface DarkroomOptions extends TransportOptions {
  /** URL of the server, with or without `/api/v1` at the end. `DARKROOM_URL` when left out. */
  baseUrl?: string | undefined;
  /** A key or a client token. Default: `DARKROOM_API_KEY`. */
  apiKey?: string | undefined;
}

export interface CreateOptions extends CallOptions {
  /**
   * The key of one logical request. By default, each call has a fresh key, so that its retries never make a second job.
   */
  idempotencyKey?: string | undefined;
  /** From 1 to 60. The server delays its answer until the job ends or this time is over, and includes the job. */
  waitSeconds?: number | undefined;
}

export type GenerateOptions = CreateOptions & WaitOptions;

/**
 * Client of one Darkroom server. Every method throws `DarkroomError` if the server refuses, `NetworkError` if no answer
 * arrives, and the signal's reason if it is aborted.
 */
export class Darkroom extends AccountCalls {
  /** The calls about batches of many requests. */
  readonly batches: Batches;

  constructor({ baseUrl, apiKey, ...options }: DarkroomOptions = {}) {
    const transport = openTransport(
      normalBaseUrl(settingOf(baseUrl, 'baseUrl', 'DARKROOM_URL')),
      settingOf(apiKey, 'apiKey', 'DARKROOM_API_KEY'),
      'apiKey must be an API key such as dk_…',
      options,
    );
    super(transport);
    this.batches = new Batches(transport);
  }

  /** Creates the job and waits for its end. Throws `JobFailed` if it fails. */
  async generate<Model extends ModelId>(
    model: Model,
    request: JobRequest<Model> | LocalRequest<Model>,
    options: GenerateOptions = {},
  ): Promise<DoneJob> {
    const { job_id } = await this.createJob(model, request, options);
    const job = await this.waitForJob(job_id, options);
    if (!isDone(job)) throw new JobFailed(job);
    return job;
  }

  /**
   * Creates a job. Local `input_images` are uploaded first, and deleted after the answer, because the job has copies.
   * To repeat such a call under its `idempotencyKey`, upload them yourself and repeat the same `input_images_urls`.
   */
  async createJob<Model extends ModelId>(
    model: Model,
    request: JobRequest<Model> | LocalRequest<Model>,
    options: CreateOptions = {},
  ): Promise<JobCreated> {
    if (!('input_images' in request)) return create(this.transport, model, request, options);
    const { input_images, mask, ...rest } = request as LocalRequest; // the property shows that it is a local request
    const all = mask === undefined ? input_images : [...input_images, mask];
    const images = await uploadImages(this.transport, all, options.signal);
    const urls = {
      input_images_urls: images.urls.slice(0, input_images.length),
      ...(mask !== undefined && { mask_url: images.urls.at(-1) }),
    };
    try {
      return await create(this.transport, model, { ...rest, ...urls }, options);
    } finally {
      await images.drop();
    }
  }

  /** Makes another image from an earlier job's request and inputs, at the current price. */
  again(jobId: string, options: CreateOptions = {}): Promise<JobCreated> {
    return again(this.transport, jobId, options);
  }

  /** Quotes what `again` would cost, whether it would be accepted, and when it would end. Creates nothing. */
  quoteAgain(jobId: string, options: CallOptions = {}): Promise<Quote> {
    return quoteAgain(this.transport, jobId, options.signal);
  }

  /** Quotes the price of a job, whether it would be accepted, and when it would end. Creates nothing. */
  quote<Model extends ModelId>(
    model: Model,
    request: JobRequest<Model>,
    options: CallOptions = {},
  ): Promise<Quote> {
    return quote(this.transport, model, request, options.signal);
  }

  /** Uploads an image, which is kept for a day. Its `url` goes into `input_images_urls` of jobs of the same account. */
  upload(image: InputImage, options: CallOptions = {}): Promise<Upload> {
    return upload(this.transport, image, options.signal);
  }

  /** Lists uploads that have not expired, newest first. */
  listUploads(query: PageQuery = {}, options: CallOptions = {}): Paged<Upload> {
    return this.pages<Upload>('/uploads', query, options);
  }

  getUpload(uploadId: string, options: CallOptions = {}): Promise<Upload> {
    return this.get<Upload>(`/uploads/${encodeURIComponent(uploadId)}`, options);
  }

  /** Deletes an upload before it expires. Jobs created with it keep their copy. */
  async deleteUpload(uploadId: string, options: CallOptions = {}): Promise<void> {
    await this.change('DELETE', `/uploads/${encodeURIComponent(uploadId)}`, options);
  }

  /** Reads a job. With `waitSeconds` (1 to 60) the server delays its answer until the job has ended or the time is over. */
  getJob(jobId: string, options: CallOptions & { waitSeconds?: number } = {}): Promise<Job> {
    const waitSeconds = options.waitSeconds ?? 0;
    return send<Job>(this.transport, {
      method: 'GET',
      path: jobPath(jobId),
      ...(waitSeconds > 0 && { headers: { prefer: `wait=${waitSeconds}` }, extraTimeMs: waitSeconds * 1000 }),
      signal: options.signal,
    });
  }

  /** Returns the job once it is `done` or `failed`. */
  waitForJob(jobId: string, options: WaitOptions = {}): Promise<Job> {
    return waitForJob((look) => lookAtJob(this.transport, jobPath(jobId), look), options);
  }

  /** Lists jobs, newest first. */
  listJobs(query: JobQuery = {}, options: CallOptions = {}): Paged<Job> {
    return this.pages<Job>('/jobs', query, options);
  }

  /** Downloads the job list as CSV, in pieces as they arrive. */
  downloadJobTable(
    query: Omit<JobQuery, 'limit' | 'cursor' | 'id'> = {},
    { signal }: CallOptions = {},
  ): AsyncGenerator<Uint8Array> {
    return readAnswer(this.transport, withQuery('/jobs.csv', query), signal);
  }

  /** Downloads the images of up to 400 jobs as a zip archive, in pieces: unchanged, or in another format or size. */
  downloadImages(
    jobIds: readonly string[],
    { signal, ...query }: CallOptions & ImageWish = {},
  ): AsyncGenerator<Uint8Array> {
    const path = withQuery('/jobs/images.zip', { job_ids: jobIds.join(','), ...query });
    return readAnswer(this.transport, path, signal);
  }

  /** Lists the account's tags, each with its number of jobs. */
  async listTags(options: CallOptions = {}): Promise<TagCount[]> {
    return (await this.get<{ data: TagCount[] }>('/tags', options)).data;
  }

  changeTags(jobId: string, change: TagChange, options: CallOptions = {}): Promise<JobTags> {
    return changeTags(this.transport, jobId, change, options.signal);
  }

  /** Cancels a job that has not ended, and releases its price. Cancelling a cancelled job returns that job. */
  async cancelJob(jobId: string, options: CallOptions = {}): Promise<Job> {
    try {
      return await send<Job>(this.transport, {
        method: 'POST',
        path: `${jobPath(jobId)}/cancel`,
        signal: options.signal,
      });
    } catch (error) {
      if (!(error instanceof DarkroomError) || error.status !== 409) throw error;
      // An earlier attempt may have cancelled the job, and its answer may have been lost.
      const job = await this.getJob(jobId, options);
      if (job.error_code === 'cancelled') return job;
      throw error;
    }
  }

  /** Deletes the image of an ended job for good, with its prompt and inputs. The job stays. */
  async deleteImage(jobId: string, options: CallOptions = {}): Promise<void> {
    await this.change<unknown>('DELETE', `${jobPath(jobId)}/image`, options);
  }

  /**
   * Returns a page of the events since `cursor`, in order: an alternative to webhooks. Iteration yields all events up
   * to now.
   */
  listEvents(query: EventQuery = {}, options: CallOptions = {}): Paged<AccountEvent, EventList> {
    return pagedEvents((place) => this.get<EventList>(withQuery('/events', { ...query, ...place }), options));
  }

  /**
   * Yields lists of events since `cursor` as they happen, until aborted; lists are never empty. Store a list's
   * `next_cursor` once it is handled, and pass it as `cursor` after a restart: no event is skipped or repeated.
   */
  async *followEvents(
    query: EventQuery = {},
    { pauseMs = 2_000, ...options }: CallOptions & { pauseMs?: number } = {},
  ): AsyncGenerator<EventList> {
    for (let { cursor } = query; ; ) {
      const list = await this.listEvents({ ...query, ...(cursor !== undefined && { cursor }) }, options);
      if (list.data.length > 0) yield list;
      cursor = list.next_cursor;
      if (!list.has_more) await sleep(pauseMs, options.signal);
    }
  }

  /**
   * Makes a token for a browser, which must not hold an API key. It can create jobs, read the jobs it created, and
   * upload images. A page makes its own client with the token as `apiKey`.
   */
  createClientToken(
    request: ClientTokenRequest = {},
    options: CallOptions = {},
  ): Promise<ClientTokenCreated> {
    return this.make<ClientTokenCreated>('/client-tokens', options, request);
  }

  /** Lists valid tokens, newest first. */
  listClientTokens(query: PageQuery = {}, options: CallOptions = {}): Paged<ClientToken> {
    return this.pages<ClientToken>('/client-tokens', query, options);
  }

  getClientToken(tokenId: string, options: CallOptions = {}): Promise<ClientToken> {
    return this.get<ClientToken>(`/client-tokens/${encodeURIComponent(tokenId)}`, options);
  }

  /** Revokes a token. Its jobs continue. */
  async revokeClientToken(tokenId: string, options: CallOptions = {}): Promise<void> {
    await this.change('DELETE', `/client-tokens/${encodeURIComponent(tokenId)}`, options);
  }

  models(options: CallOptions = {}): Promise<ModelList> {
    return this.get<ModelList>('/models', options);
  }

  model(id: ModelId, options: CallOptions = {}): Promise<ModelInfo> {
    return this.get<ModelInfo>(`/models/${encodeURIComponent(id)}`, options);
  }

  /** Downloads the image of a `done` job, in any format or size, with a new link if the one in `job` has expired. */
  async downloadImage(
    job: Job,
    { w, output_format, output_compression, ...options }: CallOptions & Omit<ImageWish, 'names'> = {},
  ): Promise<Blob> {
    if (!isDone(job)) throw new TypeError(`Job ${job.job_id} is ${job.status} and has no image.`);
    if (w || output_format || output_compression !== undefined) {
      const path = withQuery(`${jobPath(job.job_id)}/image`, { w, output_format, output_compression });
      const url = this.transport.baseUrl + path;
      return download(this.transport, url, options.signal, headersOf(this.transport, {}));
    }
    try {
      return await download(this.transport, job.result.image_url, options.signal);
    } catch (error) {
      if (!(error instanceof DarkroomError) || error.status !== 403) throw error;
      const fresh = await this.getJob(job.job_id, options);
      if (!isDone(fresh)) throw error;
      return download(this.transport, fresh.result.image_url, options.signal);
    }
  }
}

function isDone(job: Job): job is DoneJob {
  return job.status === 'done' && job.result?.image_url !== undefined;
}
