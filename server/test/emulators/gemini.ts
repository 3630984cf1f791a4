import { createPublicKey, createVerify, generateKeyPairSync } from 'node:crypto';
import { pick, pickList, pickText } from '../../src/upstream/providers/pick.ts';
import { type Emulator, type Recorded, type Reply, startEmulator } from './emulator.ts';
import { sampleImage } from './sample-image.ts';

export const geminiKey = 'AIza-emulated-key';
const token = 'ya29.emulated-token';
/** The real APIs' limits: 100 MB in one request, and on Vertex AI 7 MB in one image. */
const maxRequestBytes = 100_000_000;
const maxVertexImageBytes = 7_000_000;

interface GeminiEmulator extends Emulator {
  /** The content of the file at GOOGLE_APPLICATION_CREDENTIALS. */
  serviceAccount: Record<string, string>;
  size: { width: number; height: number };
}

/** The Gemini API and Vertex AI with their token server. Stages: `token`, `generate`, `interact`, `list`, `model`. */
export async function startGemini(): Promise<GeminiEmulator> {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const size = { width: 64, height: 48 };
  const generate = async (request: Recorded) =>
    refuse(request) ?? geminiReplies.image(await sampleImage(size));
  const emulator = await startEmulator([
    {
      method: 'POST',
      path: /^\/token$/,
      stage: 'token',
      handle: (request) => grant(request, keys.publicKey.export({ type: 'spki', format: 'pem' })),
    },
    {
      method: 'POST',
      path: /^\/v1(beta1?)?\/.*models\/[^/]+:generateContent$/,
      stage: 'generate',
      handle: generate,
    },
    {
      method: 'POST',
      path: /^\/v1beta\/interactions$/,
      stage: 'interact',
      handle: async (request) => refuse(request) ?? geminiReplies.interaction(await sampleImage(size)),
    },
    {
      method: 'GET',
      path: /^\/(v1beta\/models|v1beta1\/publishers\/google\/models)$/,
      stage: 'list',
      handle: (request) => refuse(request) ?? list(request),
    },
    {
      method: 'GET',
      path: /^\/v1(beta1?)?\/.*models\/([^/]+)$/,
      stage: 'model',
      handle: (request, match) => refuse(request) ?? { body: { name: `models/${match[2]}` } },
    },
  ]);
  const serviceAccount = {
    type: 'service_account',
    project_id: 'emulated-project',
    private_key_id: 'key-1',
    private_key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    client_email: 'darkroom@emulated-project.iam.gserviceaccount.com',
    token_uri: `${emulator.url}/token`,
  };
  return Object.assign(emulator, { serviceAccount, size });
}

const names = ['gemini-3-pro', 'imagen-4.0-generate-001', 'gemini-2.5-flash-image', 'gemini-3-pro-image'];

/** Returned in two pages, as if the first were full. */
function list(request: Recorded): Reply {
  const isVertex = request.path.includes('/publishers/');
  const isLast = request.query.get('pageToken') === 'more';
  const page = (isLast ? names.slice(3) : names.slice(0, 3)).map((name) =>
    isVertex
      ? { name: `publishers/google/models/${name}`, versionId: 'default' }
      : {
          name: `models/${name}`,
          displayName: `The ${name}`,
          supportedGenerationMethods: ['generateContent'],
        },
  );
  const more = isLast ? {} : { nextPageToken: 'more' };
  return { body: isVertex ? { publisherModels: page, ...more } : { models: page, ...more } };
}

const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 1120, totalTokenCount: 1129 };
const quotaMessage =
  'You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.';

export const geminiReplies = {
  image: (bytes: Buffer): Reply =>
    geminiReplies.parts([
      { inlineData: { mimeType: 'image/png', data: bytes.toString('base64') }, thoughtSignature: 'c2ln' },
    ]),
  interaction: (bytes: Buffer): Reply =>
    geminiReplies.steps([
      { type: 'thought', signature: 'c2ln' },
      {
        type: 'model_output',
        content: [{ type: 'image', mime_type: 'image/png', data: bytes.toString('base64') }],
      },
    ]),
  steps: (steps: readonly unknown[], more: object = {}): Reply => ({
    body: {
      ...{ id: 'v1_r1', object: 'interaction', model: 'm', status: 'completed' },
      ...{ created: '2026-11-01T10:00:00Z', updated: '2026-11-01T10:00:09Z', steps },
      ...more,
    },
  }),
  parts: (parts: readonly unknown[], finishReason = 'STOP'): Reply => ({
    body: {
      candidates: [{ content: { role: 'model', parts }, finishReason, index: 0 }],
      usageMetadata,
      modelVersion: 'm',
      responseId: 'r1',
    },
  }),
  finished: (finishReason: string): Reply => ({
    body: {
      candidates: [
        {
          content: { role: 'model' },
          finishReason,
          finishMessage: 'The model output could not be generated. Support code: 42876398.',
        },
      ],
      usageMetadata,
      modelVersion: 'm',
      createTime: '2026-11-01T10:00:00.000000Z',
    },
  }),
  blocked: (blockReason: string): Reply => ({
    body: { promptFeedback: { blockReason }, usageMetadata, modelVersion: 'm' },
  }),
  error: (code: number, status: string, message: string, details: readonly unknown[] = []): Reply => ({
    status: code,
    body: { error: { code, message, status, ...(details.length > 0 ? { details } : {}) } },
  }),
  badKey: (): Reply =>
    geminiReplies.error(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'API_KEY_INVALID',
        domain: 'googleapis.com',
      },
    ]),
  limited: (quotaId: string, retryDelay?: string): Reply =>
    geminiReplies.error(429, 'RESOURCE_EXHAUSTED', quotaMessage, [
      {
        '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
        violations: [{ quotaMetric: 'generativelanguage.googleapis.com/requests', quotaId }],
      },
      ...(retryDelay ? [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }] : []),
    ]),
};

function refuse(request: Recorded): Reply | undefined {
  const vertex = request.path.includes('/projects/') || request.path.includes('/publishers/');
  if (vertex && request.headers.authorization !== `Bearer ${token}`) {
    return geminiReplies.error(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.');
  }
  if (!vertex && request.headers['x-goog-api-key'] !== geminiKey) return geminiReplies.badKey();
  if (request.method === 'GET') return undefined;
  if (request.body.length > maxRequestBytes)
    return geminiReplies.error(400, 'INVALID_ARGUMENT', 'Request payload size exceeds the limit.');
  return (request.path.endsWith('/interactions') ? refuseInteraction : refuseBody)(request.json(), vertex);
}

function refuseBody(body: unknown, vertex: boolean): Reply | undefined {
  const parts = pickList(body, 'contents', 0, 'parts');
  if (!parts.some((part) => pickText(part, 'text')))
    return geminiReplies.error(400, 'INVALID_ARGUMENT', 'contents is not specified');
  for (const part of parts) {
    const data = pickText(part, 'inlineData', 'data');
    if (data === undefined) continue;
    // Google's own Python client sends the URL-safe alphabet.
    const standard = data.replaceAll('-', '+').replaceAll('_', '/');
    if (Buffer.from(standard, 'base64').toString('base64') !== standard)
      return geminiReplies.error(400, 'INVALID_ARGUMENT', 'Base64 decoding failed');
    if (vertex && data.length > maxVertexImageBytes)
      return geminiReplies.error(400, 'INVALID_ARGUMENT', 'Image is too large.');
  }
  return undefined;
}

function refuseInteraction(body: unknown): Reply | undefined {
  const input = pickList(body, 'input');
  const isImage = pickText(body, 'response_format', 'type') === 'image';
  const hasText = input.some((one) => pickText(one, 'type') === 'text' && pickText(one, 'text'));
  const hasData = input.every((one) => pickText(one, 'type') !== 'image' || pickText(one, 'data'));
  if (pickText(body, 'model') && isImage && hasText && hasData) return undefined;
  return geminiReplies.error(400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.');
}

function grant(request: Recorded, publicPem: string | Buffer): Reply {
  const form = new URLSearchParams(request.body.toString('utf8'));
  const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
  const signed = createVerify('RSA-SHA256')
    .update(`${header}.${claims}`)
    .verify(createPublicKey(publicPem), signature, 'base64url');
  const json: unknown = signed ? JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) : undefined;
  const alive = Number(pick(json, 'exp')) * 1000 > Date.now();
  if (!signed || !alive || form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') {
    return { status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } };
  }
  return { body: { access_token: token, expires_in: 3599, token_type: 'Bearer' } };
}
