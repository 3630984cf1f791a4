import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import manifest from '../package.json' with { type: 'json' };
import type { Entry, Job, JobStatus, ModelId, ModelInfo, ProblemDocument, Usage } from '../src/index.ts';

/** The fault of the next request. After `lost`, the server has done the work, but the client gets no answer. */
type Trouble =
  | 'lost'
  | { status: number; headers?: Record<string, string>; problem?: Partial<ProblemDocument> };

interface Received {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: unknown;
}

/** The API as clients see it, over a real socket. Each poll advances a job by one status, unless held. */
export class FakeApi implements AsyncDisposable {
  static readonly key = 'dk_0123456789abcdefghijklmnopqrstuvXYZ012';
  // The smallest PNG: one pixel.
  static readonly png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );

  readonly received: Received[] = [];
  readonly troubles: Trouble[] = [];
  outcome: Partial<Job> = { status: 'done' };
  /** While true, jobs stay `processing`, and waiting requests get no answer until `release` is called. */
  held = false;
  ignoresPrefer = false;
  version = manifest.version;
  /** Links that have expired since they were returned. */
  readonly expiredLinks = new Set<string>();
  readonly jobs: Job[] = [];
  readonly #byIdempotencyKey = new Map<string, Job>();
  readonly #released = new EventTarget();
  readonly #arrivals = new EventTarget();
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  #links = 0;

  static async start(): Promise<FakeApi> {
    const api = new FakeApi();
    await new Promise<void>((resolve) => api.#server.listen(0, '127.0.0.1', resolve));
    return api;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`; // a listening TCP server has an address
  }

  release(): void {
    this.held = false;
    this.#released.dispatchEvent(new Event('release'));
  }

  async arrival(method: string, path: string): Promise<Received> {
    for (;;) {
      const found = this.received.find(
        (request) => request.method === method && request.path.startsWith(path),
      );
      if (found !== undefined) return found;
      await new Promise((resolve) => this.#arrivals.addEventListener('arrival', resolve, { once: true }));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = Buffer.concat(await Array.fromAsync(request)).toString();
    const received = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
    this.received.push(received);
    this.#arrivals.dispatchEvent(new Event('arrival'));

    const trouble = this.troubles.shift();
    if (trouble !== undefined && trouble !== 'lost') {
      const problem = {
        type: 'about:blank',
        title: 'No',
        status: trouble.status,
        request_id: 'req_fake',
        ...trouble.problem,
      };
      const sent = trouble.problem === undefined ? '<html>No</html>' : JSON.stringify(problem);
      response.writeHead(trouble.status, { ...trouble.headers }).end(sent);
      return;
    }
    const { status, body } = await this.#carryOut(received);
    if (trouble === 'lost') request.socket.destroy();
    else if (Buffer.isBuffer(body)) response.writeHead(status, { 'content-type': 'image/png' }).end(body);
    else if (status === 204) response.writeHead(status).end();
    else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  async #carryOut(request: Received): Promise<{ status: number; body: unknown }> {
    const path = request.path.replace(/\?.*/, '');
    if (path.startsWith('/images/')) {
      return this.expiredLinks.has(this.url + request.path)
        ? refusal(403, { code: 'link_invalid', detail: 'The link is no longer valid.' })
        : { status: 200, body: FakeApi.png };
    }
    if (path === '/livez') return { status: 200, body: { status: 'ok' } };
    if (path === '/api/v1/openapi.json') return { status: 200, body: { info: { version: this.version } } };
    if (request.headers.authorization !== `Bearer ${FakeApi.key}`) {
      return refusal(401, { code: 'key_invalid', detail: 'The API key is not valid.' });
    }
    const creation = /^\/api\/v1(?:\/(nb2?))?\/(text|url)-generations$/.exec(path);
    if (creation !== null) return { status: 202, body: this.#create(request, creation[1] ?? 'pro') };
    if (path === '/api/v1/jobs') return { status: 200, body: { data: this.jobs, next_cursor: null } };
    if (path === '/api/v1/balance')
      return { status: 200, body: { balance: '10.00', reserved: '0.06', available: '9.94' } };
    if (path === '/api/v1/entries') return { status: 200, body: { data: fakeEntries, next_cursor: 'abc' } };
    if (path === '/api/v1/usage') return { status: 200, body: fakeUsage };
    if (path === '/api/v1/models') return { status: 200, body: { currency: 'USD', data: fakeModels } };
    const [, id, verb] = /^\/api\/v1\/jobs\/([^/]+)(\/cancel|\/image)?$/.exec(path) ?? [];
    const job = this.jobs.find((candidate) => candidate.job_id === id);
    if (job === undefined) return refusal(404, { code: 'not_found', detail: 'There is no such job.' });
    if (verb === '/image') return this.#deleteImage(job);
    if (verb !== undefined) return this.#cancel(job);
    await this.#move(job, request.headers.prefer?.toString());
    return { status: 200, body: job };
  }

  #create(request: Received, model: string): unknown {
    const key = String(request.headers['idempotency-key']);
    let job = this.#byIdempotencyKey.get(key);
    if (job === undefined) {
      job = newJob(this.jobs.length, model as ModelId, request.body); // the route matches no other
      this.jobs.push(job);
      this.#byIdempotencyKey.set(key, job);
    }
    return { job_id: job.job_id, status: 'queued', status_url: `/api/v1/jobs/${job.job_id}` };
  }

  async #move(job: Job, prefer: string | undefined): Promise<void> {
    if (job.status === 'queued') return this.#become(job, 'processing');
    if (job.status !== 'processing') return this.#become(job, job.status);
    if (this.held) {
      if (prefer === undefined || this.ignoresPrefer) return;
      await new Promise((resolve) => this.#released.addEventListener('release', resolve, { once: true }));
    }
    this.#become(job, this.outcome.status ?? 'done');
  }

  #become(job: Job, status: JobStatus): void {
    job.status = status;
    const now = new Date().toISOString();
    if (status !== 'queued') job.started_at ??= now;
    if (status === 'done' || status === 'failed') job.finished_at ??= now;
    if (status === 'failed') Object.assign(job, this.outcome);
    if (status !== 'done') return;
    const image_url = `${this.url}/images/${job.job_id}.png?signature=${++this.#links}`;
    job.result = {
      image_url,
      width: 1,
      height: 1,
      media_type: 'image/png',
      bytes: FakeApi.png.length,
      thumbnail_url: `${image_url}&w=256`,
      thumbhash: null,
    };
  }

  #deleteImage(job: Job): { status: number; body: unknown } {
    delete job.result?.image_url;
    delete job.result?.thumbnail_url;
    return { status: 204, body: undefined };
  }

  #cancel(job: Job): { status: number; body: unknown } {
    if (job.finished_at !== null) {
      return refusal(409, {
        code: 'job_not_cancellable',
        detail: `Only a job that has not ended can be cancelled; this one is ${job.status}.`,
      });
    }
    Object.assign(job, { status: 'failed', error: 'Cancelled.', error_code: 'cancelled' });
    return { status: 200, body: job };
  }
}

function newJob(index: number, model: ModelId, body: unknown): Job {
  const request = Object(body) as Pick<Job, 'prompt' | 'aspect_ratio'> & Partial<Pick<Job, 'resolution'>>; // sent by the SDK
  return {
    job_id: `01890000-0000-7000-8000-${String(index + 1).padStart(12, '0')}`,
    status: 'queued',
    created_at: new Date().toISOString(),
    started_at: null,
    finished_at: null,
    result: null,
    error: null,
    model,
    mode: 'input_images_urls' in request ? 'url' : 'text',
    aspect_ratio: request.aspect_ratio,
    resolution: request.resolution ?? '1K',
    price: '0.04',
    error_code: null,
    prompt: request.prompt,
    input_images_urls: [],
  };
}

/** An age whose words do not change during a test. */
const twoAndAHalfDaysMs = 60 * 3_600_000;
const fakeEntries: Entry[] = [
  {
    entry_id: 'ent_2',
    kind: 'reserve',
    amount: '0.06',
    balance_change: '0.00',
    reserved_change: '0.06',
    balance_after: '10.00',
    reserved_after: '0.06',
    job_id: '01890000-0000-7000-8000-000000000001',
    reason: null,
    created_at: new Date(Date.now() - twoAndAHalfDaysMs).toISOString(),
  },
];

const counted = { cost: '0.12', jobs: 3, done: 2, failed: 1 };
const fakeUsage: Usage = {
  from: '2026-11-19',
  to: '2026-11-20',
  group_by: 'model',
  by: 'model',
  timezone: 'UTC',
  series: [{ id: 'nb2', name: 'Higher quality', cost: '0.12', jobs: 3 }],
  days: [
    { day: '2026-11-19', cost: '0.00', jobs: 0, done: 0, failed: 0, values: [] },
    { day: '2026-11-20', ...counted, values: [counted] },
  ],
  total: counted,
};

const unpaused = {
  description: '',
  action: 'generate',
  modes: ['text', 'url'] satisfies ModelInfo['modes'],
  selectable: true,
  parameters: {},
  max_input_images: 14,
  max_prompt_length: 32_768,
  formats: ['png', 'jpeg', 'webp'] satisfies ModelInfo['formats'],
  backgrounds: ['auto', 'opaque'] satisfies ModelInfo['backgrounds'],
  masks: false,
  paused: false,
  pause_reason: null,
  paused_until: null,
};

const fakeModels: ModelInfo[] = [
  {
    id: 'nb',
    name: 'Fast',
    aspect_ratios: ['1:1'],
    resolutions: [{ resolution: '1K', price: '0.02', sizes: {} }],
    ...unpaused,
  },
  {
    id: 'nb2',
    name: 'Higher quality',
    aspect_ratios: ['1:1', '16:9', 'auto'],
    resolutions: [
      { resolution: '1K', price: '0.04', sizes: {} },
      { resolution: '2K', price: '0.06', sizes: {} },
    ],
    ...unpaused,
    paused: true,
  },
];

function refusal(
  status: number,
  problem: Pick<ProblemDocument, 'code' | 'detail'>,
): { status: number; body: unknown } {
  return { status, body: { type: 'about:blank', title: 'No', status, request_id: 'req_fake', ...problem } };
}
