import { randomUUID } from 'node:crypto';
import { pickText } from '../../src/upstream/providers/pick.ts';
import { type Emulator, type Recorded, type Reply, startEmulator } from './emulator.ts';
import { sampleImage } from './sample-image.ts';

export const falKey = 'emulated-id:emulated-secret';

interface FalEmulator extends Emulator {
  accepted: string[];
  cancelled: string[];
  size: { width: number; height: number };
  /** The billable units of a result; an empty text leaves the header out. */
  units: string;
}

/** fal's queue and its file host. Stages: `submit`, `status`, `result`, `cancel`, `file`. */
export async function startFal(): Promise<FalEmulator> {
  const accepted: string[] = [];
  const cancelled: string[] = [];
  const looks = new Map<string, number>();
  const size = { width: 64, height: 48 };
  const known = (request: Recorded, id: string | undefined, reply: (id: string) => Reply): Reply => {
    if (request.headers.authorization !== `Key ${falKey}`)
      return falReplies.platform(401, 'Cannot access application. Authentication is required.');
    if (!id || !accepted.includes(id)) return falReplies.platform(404, 'Request not found');
    return reply(id);
  };
  const bases = new Map<string, string>();
  const urlsOf = (id: string) => {
    const base = bases.get(id) ?? '';
    return { response_url: base, status_url: `${base}/status`, cancel_url: `${base}/cancel` };
  };
  const submit = (request: Recorded): Reply => {
    if (request.headers.authorization !== `Key ${falKey}`)
      return falReplies.platform(401, 'Cannot access application. Authentication is required.');
    if (!pickText(request.json(), 'prompt')) return falReplies.model(422, 'missing', 'Field required');
    const id = randomUUID();
    accepted.push(id);
    bases.set(id, `${emulator.url}${request.path.split('/').slice(0, 3).join('/')}/requests/${id}`);
    return { body: { status: 'IN_QUEUE', request_id: id, queue_position: 0, ...urlsOf(id) } };
  };
  // In the queue, in progress, completed: the state advances with each request.
  const status = (id: string): Reply => {
    const look = looks.get(id) ?? 0;
    looks.set(id, look + 1);
    return {
      status: look < 2 ? 202 : 200,
      body: {
        status: ['IN_QUEUE', 'IN_PROGRESS'][look] ?? 'COMPLETED',
        request_id: id,
        ...(look === 0 ? { queue_position: 0 } : { logs: [] }),
        ...urlsOf(id),
      },
    };
  };
  const image = { url: '', width: 64, height: 48, content_type: 'image/png' };
  const result = (): Reply => ({
    headers: emulator.units === '' ? {} : { 'x-fal-billable-units': emulator.units },
    body: { images: [{ ...image, url: `${emulator.url}/files/a.png` }], description: '', seed: 7 },
  });
  const cancel = (id: string): Reply => {
    cancelled.push(id);
    return { status: 202, body: { status: 'CANCELLATION_REQUESTED' } };
  };
  const requests = '^/[\\w.-]+/[\\w.-]+/requests/([\\w-]+)';
  const started = await startEmulator([
    {
      method: 'GET',
      path: new RegExp(`${requests}/status$`),
      stage: 'status',
      handle: (r, m) => known(r, m[1], status),
    },
    {
      method: 'PUT',
      path: new RegExp(`${requests}/cancel$`),
      stage: 'cancel',
      handle: (r, m) => known(r, m[1], cancel),
    },
    {
      method: 'GET',
      path: new RegExp(`${requests}/?$`),
      stage: 'result',
      handle: (r, m) => known(r, m[1], result),
    },
    {
      method: 'GET',
      path: /^\/files\//,
      stage: 'file',
      handle: async () => ({ body: await sampleImage(size) }),
    },
    { method: 'POST', path: /^\/[\w.-]+\/[\w./-]+$/, stage: 'submit', handle: submit },
  ]);
  const emulator: FalEmulator = Object.assign(started, { accepted, cancelled, size, units: '1' });
  return emulator;
}

export const falReplies = {
  model: (status: number, type: string, msg: string, headers: Record<string, string> = {}): Reply => ({
    status,
    headers,
    body: {
      detail: [{ loc: ['body', 'prompt'], msg, type, url: `https://docs.fal.ai/errors#${type}`, input: {} }],
    },
  }),
  platform: (status: number, detail: string, errorType?: string): Reply => ({
    status,
    body: { detail, ...(errorType ? { error_type: errorType } : {}) },
  }),
};
