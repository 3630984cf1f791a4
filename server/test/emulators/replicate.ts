import { randomUUID } from 'node:crypto';
import { pickText } from '../../src/upstream/providers/pick.ts';
import { type Emulator, type Recorded, type Reply, startEmulator } from './emulator.ts';
import { sampleImage } from './sample-image.ts';

export const replicateToken = 'r8_emulated_token';

interface ReplicateEmulator extends Emulator {
  accepted: string[];
  cancelled: string[];
  size: { width: number; height: number };
}

/** Replicate's API and its file host. Stages: `upload`, `submit`, `status`, `cancel`, `model`, `account`, `collection`, `file`. */
export async function startReplicate(): Promise<ReplicateEmulator> {
  const accepted: string[] = [];
  const cancelled: string[] = [];
  const looks = new Map<string, number>();
  const size = { width: 64, height: 48 };
  const guarded = (handle: (request: Recorded, match: RegExpMatchArray) => Reply | Promise<Reply>) => {
    return (request: Recorded, match: RegExpMatchArray) =>
      request.headers.authorization === `Bearer ${replicateToken}`
        ? handle(request, match)
        : replicateReplies.problem(401, 'Unauthenticated', 'You did not pass a valid authentication token');
  };
  const prediction = (id: string, status: string, output: unknown = null): Record<string, unknown> => {
    const get = `${emulator.url}/v1/predictions/${id}`;
    const hasBegun = status !== 'starting';
    const hasEnded = status === 'succeeded' || status === 'canceled';
    return {
      id,
      model: 'google/nano-banana-2',
      version: 'hidden',
      input: {},
      logs: '',
      output,
      data_removed: false,
      error: null,
      source: 'api',
      status,
      created_at: emulatedTime,
      started_at: hasBegun ? emulatedTime : null,
      completed_at: hasEnded ? emulatedTime : null,
      ...(hasEnded ? { metrics: { predict_time: 1.2 } } : {}),
      urls: { get, cancel: `${get}/cancel`, web: `${emulator.url}/p/${id}` },
    };
  };
  const submit = (request: Recorded): Reply => {
    if (!pickText(request.json(), 'input', 'prompt'))
      return replicateReplies.problem(422, 'Input validation failed', '- input: prompt is required');
    const id = randomUUID().replaceAll('-', '').slice(0, 26);
    accepted.push(id);
    return { status: 201, body: prediction(id, 'starting') };
  };
  const look = (_request: Recorded, match: RegExpMatchArray): Reply => {
    const id = match[1] ?? '';
    if (!accepted.includes(id))
      return replicateReplies.problem(404, 'Not found', 'The requested resource could not be found.');
    const before = looks.get(id) ?? 0;
    looks.set(id, before + 1);
    if (before < 2) return { body: prediction(id, ['starting', 'processing'][before] ?? '') };
    return { body: prediction(id, 'succeeded', `${emulator.url}/files/out.png`) };
  };
  const cancel = (_request: Recorded, match: RegExpMatchArray): Reply => {
    cancelled.push(match[1] ?? '');
    return { body: prediction(match[1] ?? '', 'canceled') };
  };
  const upload = async (request: Recorded): Promise<Reply> => {
    const content = (await request.form()).get('content');
    if (content === null || typeof content === 'string')
      return replicateReplies.problem(400, 'Bad request', 'Missing content');
    const id = randomUUID();
    const body = {
      id,
      name: content.name,
      content_type: content.type,
      size: content.size,
      etag: 'd41d8cd98f00b204e9800998ecf8427e',
      checksums: { sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' },
      metadata: {},
      created_at: emulatedTime,
      expires_at: null,
      urls: { get: `${emulator.url}/v1/files/${id}` },
    };
    return { status: 201, body };
  };
  const emulator = await startEmulator([
    { method: 'POST', path: /^\/v1\/files$/, stage: 'upload', handle: guarded(upload) },
    {
      method: 'POST',
      path: /^\/v1\/(models\/[\w.-]+\/[\w.-]+\/)?predictions$/,
      stage: 'submit',
      handle: guarded(submit),
    },
    { method: 'GET', path: /^\/v1\/predictions\/(\w+)$/, stage: 'status', handle: guarded(look) },
    { method: 'POST', path: /^\/v1\/predictions\/(\w+)\/cancel$/, stage: 'cancel', handle: guarded(cancel) },
    {
      method: 'GET',
      path: /^\/v1\/models\/([\w.-]+)\/([\w.-]+)$/,
      stage: 'model',
      handle: guarded((_request, match) => ({ body: modelOf(match[1] ?? '', match[2] ?? '') })),
    },
    {
      method: 'GET',
      path: /^\/v1\/account$/,
      stage: 'account',
      handle: guarded(() => ({
        body: { type: 'user', username: 'darkroom', name: 'Darkroom', github_url: null, avatar_url: null },
      })),
    },
    {
      method: 'GET',
      path: /^\/v1\/collections\/text-to-image$/,
      stage: 'collection',
      handle: guarded(() => ({
        body: {
          name: 'Text to image',
          slug: 'text-to-image',
          description: '',
          full_description: null,
          models,
        },
      })),
    },
    {
      method: 'GET',
      path: /^\/files\//,
      stage: 'file',
      handle: async () => ({ body: await sampleImage(size) }),
    },
  ]);
  return Object.assign(emulator, { accepted, cancelled, size });
}

const text = { type: 'string' };
const models = [
  {
    ...modelOf('google', 'nano-banana-pro'),
    ...schemaOf({ prompt: text, image_input: { type: 'array' } }, ['match_input_image', '1:1', '16:9']),
  },
  {
    ...modelOf('prunaai', 'z-image-turbo'),
    ...schemaOf({ prompt: text, width: { type: 'integer' }, height: { type: 'integer' } }),
  },
  { ...modelOf('somebody', 'retouch'), ...schemaOf({ prompt: text, image: { ...text, format: 'uri' } }) },
  { ...modelOf('somebody', 'upscaler'), ...schemaOf({ image: { ...text, format: 'uri' } }) },
];

function schemaOf(properties: Record<string, unknown>, ratios?: readonly string[]) {
  const shape = ratios ? { aspect_ratio: { allOf: [{ $ref: '#/components/schemas/aspect_ratio' }] } } : {};
  const schemas = {
    Input: { type: 'object', properties: { ...properties, ...shape } },
    ...(ratios ? { aspect_ratio: { type: 'string', enum: ratios } } : {}),
  };
  return { latest_version: { id: 'hidden', openapi_schema: { components: { schemas } } } };
}

const emulatedTime = '2026-11-01T10:00:00.000Z';

function modelOf(owner: string, name: string) {
  return {
    url: `https://replicate.com/${owner}/${name}`,
    owner,
    name,
    description: 'Emulated',
    visibility: 'public',
    github_url: null,
    paper_url: null,
    license_url: null,
    run_count: 7,
    cover_image_url: null,
    default_example: null,
    latest_version: null,
  };
}

export const replicateReplies = {
  problem: (status: number, title: string, detail: string, more: Record<string, unknown> = {}): Reply => ({
    status,
    headers: { 'content-type': 'application/problem+json' },
    body: { title, detail, status, ...more },
  }),
  ended: (status: string, error: string | null, output: unknown = null): Reply => ({
    body: {
      id: 'x',
      status,
      error,
      output,
      urls: { get: 'http://127.0.0.1/x', cancel: 'http://127.0.0.1/x/cancel' },
    },
  }),
};
