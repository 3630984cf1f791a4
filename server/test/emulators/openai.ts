import { pickText } from '../../src/upstream/providers/pick.ts';
import { type Emulator, type Recorded, type Reply, startEmulator } from './emulator.ts';
import { sampleImage } from './sample-image.ts';

/** OpenAI's models, and the tests' names for models of a local server. */
const listed = ['gpt-image-2', 'flux', 'some-local-model'];

export const openAiKey = 'sk-emulated-key';

interface OpenAiEmulator extends Emulator {
  links: boolean;
}

/** OpenAI Images. Stages: `generate` (generations and edits), `models`, `file`. */
export async function startOpenAi(): Promise<OpenAiEmulator> {
  const state = { links: false };
  const generate = async (request: Recorded): Promise<Reply> => {
    if (!allowed(request)) return openAiReplies.badKey();
    return drawn(request, emulated.links ? `${emulated.url}/generated-images/x.png` : undefined);
  };
  const models = (request: Recorded): Reply =>
    allowed(request)
      ? { body: { object: 'list', data: listed.map((id) => ({ id, object: 'model' })) } }
      : openAiReplies.badKey();
  const emulator = await startEmulator([
    { method: 'POST', path: /^\/v1\/images\/(generations|edits)$/, stage: 'generate', handle: generate },
    { method: 'GET', path: /^\/v1\/models$/, stage: 'models', handle: models },
    {
      method: 'GET',
      path: /^\/generated-images\//,
      stage: 'file',
      handle: async () => ({ body: await sampleImage({ width: 64, height: 48 }) }),
    },
  ]);
  const emulated: OpenAiEmulator = Object.assign(emulator, state);
  return emulated;
}

export async function drawn(request: Recorded, link?: string): Promise<Reply> {
  const asked = await fieldsOf(request);
  if (!asked.prompt)
    return openAiReplies.error(400, 'missing_required_parameter', "Missing required parameter: 'prompt'.");
  // Like a missing size, `auto` leaves the choice to the model.
  const size = /^\d+x\d+$/.test(asked.size ?? '') ? asked.size : '1024x1024';
  const [width = 1024, height = 1024] = (size ?? '').split('x').map(Number);
  const bytes = await sampleImage({ width: Math.ceil(width / 16), height: Math.ceil(height / 16) });
  const image = link ? { url: link } : { b64_json: bytes.toString('base64') };
  return {
    body: {
      created: 1713833628,
      background: 'opaque',
      output_format: 'png',
      data: [image],
      usage: { total_tokens: 1 },
    },
  };
}

export const openAiReplies = {
  error: (status: number, code: string | null, message: string, type = 'invalid_request_error'): Reply => ({
    status,
    body: { error: { message, type, param: null, code } },
  }),
  /** A FastAPI error: a sentence, or the findings of its schema check. */
  detail: (status: number, detail: unknown): Reply => ({ status, body: { detail } }),
  badKey: (): Reply =>
    openAiReplies.error(401, 'invalid_api_key', `Incorrect API key provided: ${openAiKey}.`),
};

function allowed(request: Recorded): boolean {
  return request.headers.authorization === `Bearer ${openAiKey}`;
}

async function fieldsOf(
  request: Recorded,
): Promise<{ prompt: string | undefined; size: string | undefined }> {
  if (request.headers['content-type']?.startsWith('multipart/')) {
    const form = await request.form();
    const images = [...form.getAll('image'), ...form.getAll('image[]')];
    const text = (name: string) => {
      const value = form.get(name);
      return typeof value === 'string' ? value : undefined;
    };
    return { prompt: images.length > 0 ? text('prompt') : undefined, size: text('size') };
  }
  const body = request.json();
  return { prompt: pickText(body, 'prompt'), size: pickText(body, 'size') };
}
