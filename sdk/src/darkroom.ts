import { Batches } from './batches.ts';
import { changeTags } from './change-tags.ts';
import { create, quote } from './create.ts';
import { DarkroomError, JobFailed } from './errors.ts';
import type { InputImage } from './local-image.ts';
import { lookAtJob } from './look-at-job.ts';
import { endpointPath, jobPath, normalBaseUrl, withQuery } from './paths.ts';
import { download, send, type Transport } from './send.ts';
import { openTransport, type TransportOptions } from './transport.ts';
import type {
  Balance,
  ChangedEndpoint,
  ClientTokenCreated,
  ClientTokenRequest,
  Delivery,
  DeliveryDetail,
  DeliveryQuery,
  DoneJob,
  Endpoint,
  EndpointChange,
  EndpointDetail,
  EndpointUpdate,
  Entry,
  EntryQuery,
  EventList,
  EventQuery,
  Job,
  JobCreated,
  JobList,
  JobQuery,
  JobRequest,
  JobTags,
  LocalRequest,
  ModelId,
  ModelList,
  NewEndpoint,
  Page,
  Quote,
  TagChange,
  TagCount,
  Upload,
  Usage,
  UsageQuery,
  WebhookSecret,
  WebhookTest,
} from './types.ts';
import { upload, uploadImages } from './upload-images.ts';
import { type WaitOptions, waitForJob } from './wait-for-job.ts';

export interface DarkroomOptions extends TransportOptions {
  /** Address of the server, with or without `/api/v1` at the end. */
  baseUrl: string;
  /** Or a client token. */
  apiKey: string;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

export interface CreateOptions extends CallOptions {
  /** One per logical request. By default a fresh one, so retries inside a call never make a second job. */
  idempotencyKey?: string | undefined;
  /**
   * 1 to 60: the server delays its answer until the job has ended or the time is over, and includes the job.
   */
  waitSeconds?: number | undefined;
}

export type GenerateOptions = CreateOptions & WaitOptions;

/**
 * Client of one Darkroom server. Every method throws `DarkroomError` when the server refuses, `NetworkError` when
 * no answer came, and the signal's reason when aborted.
 */
export class Darkroom {
  /** Many requests at once. */
  readonly batches: Batches;
  readonly #transport: Transport;

  constructor({ baseUrl, apiKey, ...options }: DarkroomOptions) {
    this.#transport = openTransport(
      normalBaseUrl(baseUrl),
      apiKey,
      'apiKey must be an API key such as dk_…',
      options,
    );
    this.batches = new Batches(this.#transport);
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
   * With `input_images`, what is local is uploaded first, and deleted when the answer is there: the job has copies.
   * To repeat such a call under its `idempotencyKey`, upload by yourself and repeat the same `input_images_urls`.
   */
  async createJob<Model extends ModelId>(
    model: Model,
    request: JobRequest<Model> | LocalRequest<Model>,
    options: CreateOptions = {},
  ): Promise<JobCreated> {
    if (!('input_images' in request)) return create(this.#transport, model, request, options);
    const { input_images, ...rest } = request as LocalRequest; // the property makes it one
    const images = await uploadImages(this.#transport, input_images, options.signal);
    try {
      return await create(this.#transport, model, { ...rest, input_images_urls: images.urls }, options);
    } finally {
      await images.drop();
    }
  }

  /** What a create would cost, whether it would be accepted, and when it would end. Creates nothing. */
  quote<Model extends ModelId>(
    model: Model,
    request: JobRequest<Model>,
    options: CallOptions = {},
  ): Promise<Quote> {
    return quote(this.#transport, model, request, options.signal);
  }

  /** Keeps an image on the server for a day. Its `url` goes into `input_images_urls` of jobs of the same account. */
  upload(image: InputImage, options: CallOptions = {}): Promise<Upload> {
    return upload(this.#transport, image, options.signal);
  }

  /** Deletes an upload before it expires. Jobs that were created with it keep their copy. */
  async deleteUpload(uploadId: string, options: CallOptions = {}): Promise<void> {
    await this.#change('DELETE', `/uploads/${encodeURIComponent(uploadId)}`, options);
  }

  /**
   * With `waitSeconds` (1 to 60) the server delays its answer until the job has ended or the time is over.
   */
  getJob(jobId: string, options: CallOptions & { waitSeconds?: number } = {}): Promise<Job> {
    const waitSeconds = options.waitSeconds ?? 0;
    return send<Job>(this.#transport, {
      method: 'GET',
      path: jobPath(jobId),
      ...(waitSeconds > 0 && { headers: { prefer: `wait=${waitSeconds}` }, extraTimeMs: waitSeconds * 1000 }),
      signal: options.signal,
    });
  }

  /** The job once it is `done` or `failed`. */
  waitForJob(jobId: string, options: WaitOptions = {}): Promise<Job> {
    return waitForJob((look) => lookAtJob(this.#transport, jobPath(jobId), look), options);
  }

  listJobs(query: JobQuery = {}, options: CallOptions = {}): Promise<JobList> {
    return this.#get<JobList>(withQuery('/jobs', query), options);
  }

  /** The tags of the account with the number of jobs that have each. */
  async listTags(options: CallOptions = {}): Promise<TagCount[]> {
    return (await this.#get<{ data: TagCount[] }>('/tags', options)).data;
  }

  changeTags(jobId: string, change: TagChange, options: CallOptions = {}): Promise<JobTags> {
    return changeTags(this.#transport, jobId, change, options.signal);
  }

  /**
   * Cancels a job that has not ended, and releases its price. Cancelling a cancelled job returns that job.
   */
  async cancelJob(jobId: string, options: CallOptions = {}): Promise<Job> {
    try {
      return await send<Job>(this.#transport, {
        method: 'POST',
        path: `${jobPath(jobId)}/cancel`,
        signal: options.signal,
      });
    } catch (error) {
      if (!(error instanceof DarkroomError) || error.status !== 409) throw error;
      // The answer to an earlier try may have been lost.
      const job = await this.getJob(jobId, options);
      if (job.error_code === 'cancelled') return job;
      throw error;
    }
  }

  /** Deletes the image of a job that has ended, with its prompt and inputs, for good. The job stays. */
  async deleteImage(jobId: string, options: CallOptions = {}): Promise<void> {
    await this.#change<unknown>('DELETE', `${jobPath(jobId)}/image`, options);
  }

  /** Events since `after`, in order: for clients that missed webhooks or do not use them. */
  listEvents(query: EventQuery = {}, options: CallOptions = {}): Promise<EventList> {
    return this.#get<EventList>(withQuery('/events', query), options);
  }

  /**
   * A token for a browser, which must not hold an API key: it creates jobs, reads those that it created and uploads images.
   * A page makes its own client with it as `apiKey`.
   */
  createClientToken(
    request: ClientTokenRequest = {},
    options: CallOptions = {},
  ): Promise<ClientTokenCreated> {
    return this.#change<ClientTokenCreated>('POST', '/client-tokens', options, request);
  }

  balance(options: CallOptions = {}): Promise<Balance> {
    return this.#get<Balance>('/balance', options);
  }

  models(options: CallOptions = {}): Promise<ModelList> {
    return this.#get<ModelList>('/models', options);
  }

  /** Every change of the balance, newest first. */
  listEntries(query: EntryQuery = {}, options: CallOptions = {}): Promise<Page<Entry>> {
    return this.#get<Page<Entry>>(withQuery('/entries', query), options);
  }

  /** Jobs and cost per day, of at most 92 days. */
  usage(query: UsageQuery = {}, options: CallOptions = {}): Promise<Usage> {
    return this.#get<Usage>(withQuery('/usage', query), options);
  }

  /**
   * Makes a new signing secret for an endpoint (the default one unless named), and returns all that sign, the new one
   * first. The old one signs for a day unless it leaked.
   */
  async rotateWebhookSecret(
    options: CallOptions & { leaked?: boolean; endpointId?: string } = {},
  ): Promise<WebhookSecret[]> {
    const body = { leaked: options.leaked ?? false };
    const path = `${endpointPath(options)}/rotate`;
    return (await this.#change<{ secrets: WebhookSecret[] }>('POST', path, options, body)).secrets;
  }

  /** Sends a `webhook.test` to an endpoint (the default one unless named) now, and returns the result. */
  testWebhook(options: CallOptions & { endpointId?: string } = {}): Promise<WebhookTest> {
    return this.#change<WebhookTest>('POST', `${endpointPath(options)}/test`, options);
  }

  /** All endpoints of the account, the default one first. */
  async listEndpoints(options: CallOptions = {}): Promise<Endpoint[]> {
    return (await this.#get<{ data: Endpoint[] }>('/webhooks', options)).data;
  }

  /** `default` stands for the default one, here and below. */
  getEndpoint(endpointId: string, options: CallOptions = {}): Promise<EndpointDetail> {
    return this.#get<EndpointDetail>(`/webhooks/${endpointId}`, options);
  }

  /** Sends the account's events there too. The only answer with the signing secret of the endpoint. */
  addEndpoint(endpoint: NewEndpoint, options: CallOptions = {}): Promise<Endpoint & { secret: string }> {
    return this.#change<Endpoint & { secret: string }>('POST', '/webhooks', options, endpoint);
  }

  /** What is left out becomes what a new endpoint has. `default` is added where there is none. */
  replaceEndpoint(
    endpointId: string,
    endpoint: EndpointUpdate,
    options: CallOptions = {},
  ): Promise<ChangedEndpoint> {
    return this.#change<ChangedEndpoint>('PUT', `/webhooks/${endpointId}`, options, endpoint);
  }

  /** What is not named stays. */
  changeEndpoint(
    endpointId: string,
    change: EndpointChange,
    options: CallOptions = {},
  ): Promise<ChangedEndpoint> {
    return this.#change<ChangedEndpoint>('PATCH', `/webhooks/${endpointId}`, options, change);
  }

  /** Cancels what waits for it. */
  async removeEndpoint(endpointId: string, options: CallOptions = {}): Promise<void> {
    await this.#change('DELETE', `/webhooks/${endpointId}`, options);
  }

  listDeliveries(query: DeliveryQuery = {}, options: CallOptions = {}): Promise<Page<Delivery>> {
    return this.#get<Page<Delivery>>(withQuery('/deliveries', query), options);
  }

  getDelivery(deliveryId: string, options: CallOptions = {}): Promise<DeliveryDetail> {
    return this.#get<DeliveryDetail>(`/deliveries/${deliveryId}`, options);
  }

  /** Tries it now where it waits for that; else sends its event again, under the same `webhook-id`, as a new delivery. */
  replayDelivery(deliveryId: string, options: CallOptions = {}): Promise<Delivery> {
    return this.#change<Delivery>('POST', `/deliveries/${deliveryId}/replay`, options);
  }

  /** Sends again the events since then that were not delivered; returns the number of deliveries. */
  async replayFailed(since: string, options: CallOptions = {}): Promise<number> {
    const path = '/deliveries/replay';
    return (await this.#change<{ replayed: number }>('POST', path, options, { since })).replayed;
  }

  /** The image of a job that is `done`. Requests a new link when the one in `job` has expired. */
  async downloadImage(job: Job, options: CallOptions = {}): Promise<Blob> {
    if (!isDone(job)) throw new TypeError(`Job ${job.job_id} is ${job.status} and has no image.`);
    try {
      return await download(this.#transport, job.result.image_url, options.signal);
    } catch (error) {
      if (!(error instanceof DarkroomError) || error.status !== 403) throw error;
      const fresh = await this.getJob(job.job_id, options);
      if (!isDone(fresh)) throw error;
      return download(this.#transport, fresh.result.image_url, options.signal);
    }
  }

  #get<Body>(path: string, { signal }: CallOptions): Promise<Body> {
    return send<Body>(this.#transport, { method: 'GET', path, signal });
  }

  #change<Body>(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    { signal }: CallOptions,
    body?: object,
  ): Promise<Body> {
    return send<Body>(this.#transport, { method, path, signal, ...(body && { body }) });
  }
}

function isDone(job: Job): job is DoneJob {
  return job.status === 'done' && job.result?.image_url !== undefined;
}
