import { setTimeout as sleep } from 'node:timers/promises';
import { plainPng } from '../../test/world/provider.ts';
import { type Answer, type Client, type Request, sendUntilAnswered } from './client.ts';
import { directives } from './directives.ts';
import { fetchSmaller } from './images.ts';
import { acknowledge, sight } from './log.ts';
import { changePrice, pauseShortly, pay } from './operator.ts';

export interface Kind {
  name: string;
  run(client: Client, number: number): Promise<void>;
}

// The number is the weight of a kind. About half of the jobs end without an image, so that releases are as frequent as
// captures.
const parts: [parts: number, name: string, run: Kind['run']][] = [
  [22, 'text', (client, number) => createText(client, number)],
  [4, 'smaller images', createAndShrink],
  [6, 'with replay', createTwice],
  [14, 'refused upstream', (client, number) => createText(client, number, { prompt: directives.refuse })],
  [18, 'cancelled', createAndCancel],
  [
    8,
    'past its deadline',
    (client, number) =>
      createText(client, number, { prompt: directives.slow, more: { deadline_seconds: 1 } }),
  ],
  [5, 'from a URL', createFromUrl],
  [3, 'from an upload', createFromUpload],
  [4, 'batch', createBatch],
  [4, 'at the door of OpenAI', createAtDoor],
  [4, 'sent three times at once', createThrice],
  [3, 'near a limit', createNearLimit],
  [3, 'credit', (client, number) => pay(client, number, 'credit')],
  [2, 'debit', (client, number) => pay(client, number, 'debit')],
  [1, 'price', changePrice],
  [1, 'pause', pauseShortly],
];
const total = parts.reduce((sum, [each]) => sum + each, 0);

export function drawKind(random: Client['random']): Kind {
  let left = random.between(1, total);
  for (const [each, name, run] of parts) {
    left -= each;
    if (left <= 0) return { name, run };
  }
  throw new Error('the parts do not add up');
}

const keyOf = (number: number) => `job-${number}`;

interface Text {
  prompt?: string;
  more?: object;
}

function textRequest(
  { cast, random, receiverUrl }: Client,
  number: number,
  { prompt = '', more }: Text = {},
) {
  const account = random.chance(0.95) ? cast.accounts.rich : cast.accounts.poor;
  // Mostly picks the model whose answers need no decoding, because the faults need the processors.
  const path = random.pick(['/nb', '/nb', '/nb', '/nb', '/nb2', '', '']);
  const key = keyOf(number);
  const body = {
    prompt: `image ${number} ${prompt}`,
    aspect_ratio: '1:1',
    callback_url: `${receiverUrl}/${number}`,
    ...more,
  };
  const request: Request = {
    name: key,
    key,
    path: `/api/v1${path}/text-generations`,
    token: account.key,
    body,
  };
  return { account, request };
}

interface Created {
  job_id: string;
}

async function create(
  client: Client,
  { accountId, kind, request }: { accountId: string; kind: string; request: Request },
): Promise<string | undefined> {
  const answer = await sendUntilAnswered(client, request);
  if (answer?.status !== 202) {
    if (answer) client.log.refused += 1;
    return;
  }
  const { job_id: jobId } = answer.json<Created>();
  acknowledge(client.log, client.file, { key: request.key ?? '', accountId, kind, jobIds: [jobId] });
  return jobId;
}

async function createText(client: Client, number: number, text: Text = {}): Promise<void> {
  const { account, request } = textRequest(client, number, text);
  const jobId = await create(client, { accountId: account.accountId, kind: 'text', request });
  if (jobId && client.random.chance(0.3)) await look(client, account.key, jobId);
}

async function createTwice(client: Client, number: number): Promise<void> {
  const { account, request } = textRequest(client, number);
  const { accountId } = account;
  if (!(await create(client, { accountId, kind: 'text', request }))) return;
  client.log.replays += 1;
  await create(client, { accountId, kind: 'text', request });
}

async function createThrice(client: Client, number: number): Promise<void> {
  const { account, request } = textRequest(client, number);
  const { accountId } = account;
  await Promise.all(
    Array.from({ length: 3 }, () => create(client, { accountId, kind: 'three at once', request })),
  );
}

/** 409 means that the job has already ended. */
async function createAndCancel(client: Client, number: number): Promise<void> {
  const { account, request } = textRequest(client, number, { prompt: directives.slow });
  const jobId = await create(client, { accountId: account.accountId, kind: 'cancelled', request });
  if (!jobId) return;
  await sleep(client.random.between(0, 1_500));
  await cancel(client, account.key, `/jobs/${jobId}`, [jobId]);
}

async function cancel(client: Client, token: string, path: string, jobIds: readonly string[]): Promise<void> {
  const answer = await sendUntilAnswered(client, {
    name: `cancel ${path}`,
    path: `/api/v1${path}/cancel`,
    token,
    final: [409],
  });
  if (answer?.status === 200) for (const id of jobIds) client.log.cancelled.add(id);
}

async function createFromUrl(client: Client, number: number): Promise<void> {
  await createFrom(client, number, `${client.receiverUrl}/image.png`);
}

async function createFromUpload(client: Client, number: number): Promise<void> {
  const answer = await sendUntilAnswered(client, {
    name: `upload ${number}`,
    path: '/api/v1/uploads',
    token: client.cast.accounts.rich.key,
    body: new Blob([new Uint8Array(plainPng(64, 48))], { type: 'image/png' }),
  });
  if (answer?.status === 201) await createFrom(client, number, answer.json<{ url: string }>().url);
}

async function createFrom(client: Client, number: number, url: string): Promise<void> {
  const { accountId, key: token } = client.cast.accounts.rich;
  const key = keyOf(number);
  const body = { prompt: `from ${number}`, aspect_ratio: '1:1', input_images_urls: [url] };
  const request = { name: key, key, token, path: '/api/v1/nb/url-generations', body };
  await create(client, { accountId, kind: 'from images', request });
}

async function createBatch(client: Client, number: number): Promise<void> {
  const { random, log, file } = client;
  const { accountId, key: token } = client.cast.accounts.rich;
  const key = keyOf(number);
  const requests = Array.from({ length: random.between(4, 12) }, (_, index) => ({
    model: 'nb',
    mode: 'text',
    body: {
      prompt: `image ${number}/${index} ${random.pick(['', directives.refuse, directives.slow])}`,
      aspect_ratio: '1:1',
    },
  }));
  const answer = await sendUntilAnswered(client, {
    name: key,
    key,
    token,
    path: '/api/v1/batches',
    body: { requests },
  });
  if (answer?.status !== 202) return;
  const { batch_id: batchId, jobs } = answer.json<{ batch_id: string; jobs: number }>();
  if (jobs !== requests.length) log.faults.push(`${key}: ${requests.length} requests made ${jobs} jobs`);
  // The batch's id stands for its jobs, which the check reads through the batch.
  acknowledge(log, file, { key, accountId, kind: 'batch', jobIds: [batchId] });
  if (random.chance(0.5)) await cancel(client, token, `/batches/${batchId}`, []);
}

async function createAtDoor(client: Client, number: number): Promise<void> {
  const { accountId, key: token } = client.cast.accounts.rich;
  const key = keyOf(number);
  const body = { prompt: `at the door ${number}`, model: 'nb', size: '1024x1024' };
  const request = {
    name: key,
    key,
    token,
    path: '/v1/images/generations',
    body,
    final: [409, 500, 502, 504],
    // The answer says that the job failed on every route.
    isFinalIfForbidden: ({ status, text }: Answer) =>
      status === 503 && text.includes('"provider_unavailable"'),
  };
  const answer = await sendUntilAnswered(client, request);
  if (answer?.status === 200)
    acknowledge(client.log, client.file, { key, accountId, kind: 'door', jobIds: [] });
}

async function createNearLimit(client: Client, number: number): Promise<void> {
  const { accountId, limitedKey: token } = client.cast.accounts.rich;
  const { request } = textRequest(client, number, { prompt: client.random.pick(['', directives.slow]) });
  await create(client, { accountId, kind: 'near a limit', request: { ...request, token, final: [429] } });
}

async function createAndShrink(client: Client, number: number): Promise<void> {
  const { account, request } = textRequest(client, number);
  const jobId = await create(client, { accountId: account.accountId, kind: 'text', request });
  const imageUrl = jobId && (await look(client, account.key, jobId))?.result?.image_url;
  if (imageUrl) await fetchSmaller(client, account.key, imageUrl);
}

interface Polled {
  status: string;
  result: { image_url: string } | null;
  started_at: string | null;
  finished_at: string | null;
  price: string;
}

async function look(client: Client, token: string, jobId: string): Promise<Polled | undefined> {
  let last: Polled | undefined;
  for (let looks = 0; looks < 20; looks++) {
    const answer = await sendUntilAnswered(client, {
      name: `poll ${jobId}`,
      method: 'GET',
      path: `/api/v1/jobs/${jobId}`,
      token,
    });
    if (answer?.status !== 200) break;
    last = answer.json<Polled>();
    const { status, started_at: startedAt, finished_at: finishedAt, price } = last;
    sight(client.log, jobId, { status, startedAt, finishedAt, price });
    if (finishedAt !== null && client.random.chance(0.5)) break;
    await sleep(client.random.between(100, 500));
  }
  return last;
}
